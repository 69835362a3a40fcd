// SPDX-License-Identifier: Apache-2.0
/* From an operation to the descriptor of the block that does it: addresses, strides and loop nests.
 * Which block, and in what order, is each scheduler's choice. */
#pragma once

#include "firmware/llm/operation.h"
#include "firmware/llm/pass.h"
#include "firmware/llm/placement.h"
#include "ip/common/descriptor.h"

/* The tap ports' numbers are their places in the scenario's `streams:` (ip/common/boot_info.h). */
#define PORT_ARRAY LEVEE_PORT_ARRAY
#define PORT_FUNCTIONS LEVEE_PORT_FUNCTIONS

struct lowering {
    const struct model* model;
    const struct policy* policy;
    const struct placement* placement;
    const struct operand* values; /* placement's of decode steps, or of prefills */
    float score_scale;            /* 1 / sqrt(head_dim), single precision */
};

/* Whether the operation is done part by part of the layer's cache. */
bool lower_is_by_part(const struct pass* pass, const struct operation* operation);

/* Fills in the opcode and the block's operation of a descriptor where they are all 0. Each is for
 * the operations of one block:
 * LINEAR, SCORES, MIX; */
void lower_rsa(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor);

/* EVICT, ACCUMULATE, SELECT, POPULAR, FORGET; */
void lower_evictor(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor);

/* what is copied or filled; */
void lower_dma(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor);

/* and all others. */
void lower_sfu(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor);

/* What of these descriptors follows from how many x rows are in use, for one that is filled in:
 * LINEAR, SCORES, MIX;
 * RECALL, RECALL_SCALES;
 * RESTORE_KEY, RESTORE_VALUE. */
void lower_rsa_recalled(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor);
void lower_dma_recalled(const struct pass* pass, const struct operation* operation,
                        struct levee_descriptor* descriptor);
void lower_sfu_recalled(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor);

/* The slots arriving tokens take: a word for each (entry, head) of the slices. */
struct slot_words {
    uint64_t address;
    uint16_t stride[2]; /* entry, head; bytes */
};
struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices);

/* Behind the arriving tokens' rows of a value, those of recalled ones: how many of each entry. */
static inline uint32_t lower_recalled(const struct pass* pass, uint32_t layer)
{
    return pass->form.recalls ? pass->recalled[layer] : 0;
}

/* NEW_KEYS or NEW_VALUES: vectors of a head, the arriving token's last. */
static inline uint32_t lower_beside_rows(const struct lowering* lowering)
{
    return lowering->policy->x_rows + 1;
}
