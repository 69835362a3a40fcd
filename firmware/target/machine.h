// SPDX-License-Identifier: Apache-2.0
/* A machine: parts that do every operation of a model and its cache between them. The scenario
 * names one of the compositions that ship (compositions.c), or the parts. Each operation has one
 * row, of one part; a row of the part for weights or for attention comes before one of the part for
 * functions. */
#pragma once

#include "firmware/hal/space.h"
#include "firmware/target/part.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_CACHE_PARTS 12u
#define MACHINE_REREAD 6u

/* The inputs of a placement that depend on the machine. */
struct machine_placing {
    struct value_format formats[CACHE_VALUES];
    uint8_t lies_with[CACHE_VALUES]; /* VALUE_NONE: in its own place */
    const struct kv_form* kv_forms;
    uint32_t kv_form_count;
    bool kv_scaled;
    const uint8_t* activations;
    uint8_t reread[MACHINE_REREAD];
    uint32_t activation_count, reread_count;
    uint32_t reread_roles[2]; /* memories on chip that may hold them */
    uint64_t (*sum_bytes)(void);
};

struct machine {
    const char* name; /* Name in messages: the scenario's, or the parts'. */
    const struct machine_part* parts[PART_ROLES + MACHINE_CACHE_PARTS]; /* Parts by role, then
                                                                         * those of the cache. */
    uint32_t part_count;
    bool separate; /* Q, K and V by a product each */
    bool staged;   /* arriving keys and values stay outside the cache until they have been used */
    bool kv_queue; /* products with keys and values run at the same time as those with weights */
    const struct row* rows[PART_OPERATIONS];
    uint8_t ordered_with[CACHE_VALUES]; /* VALUE_NONE: itself */
    struct machine_placing placing;
    const struct tiling_rules* tiling; /* NULL: prefills are never tiled */
    uint32_t first_port;               /* First port after those of parts without their own
                                        * numbering. */
    uint32_t importance_port;          /* Port on which it passes on probabilities. */
    bool last_reads; /* activations lie in refreshed memory: descriptors mark their inputs' last
                      * reads */
};

/* Composition that the scenario asks for: all parts except the cache's. Ends the run, with a
 * list of the existing ones, for an unknown name or parts that do not fit together. */
void machine_choose(struct machine* machine);

/* The composition that reads all matrices from memory, whatever the scenario asks for. */
void machine_choose_plain(struct machine* machine);

/* Ends the run if the parts do not support the weights, the batch or the chunk. */
void machine_check_model(const struct machine* machine, const struct model* model);

/* Determines the cache's parts, the rows, the formats and the places of values. Ends the run if
 * a part lacks something that the policy needs. */
void machine_complete(struct machine* machine, const struct model* model,
                      const struct policy* policy);

static inline const struct machine_part* machine_weights(const struct machine* machine)
{
    return machine->parts[PART_WEIGHTS];
}

static inline const struct machine_part* machine_attention(const struct machine* machine)
{
    return machine->parts[PART_ATTENTION];
}

/* Whether a prefill can mask tokens before a token's window. */
static inline bool machine_masks(const struct machine* machine)
{
    return (machine_attention(machine)->abilities & ATTENTION_BANDS) != 0;
}

/* Whether the part belongs to the machine. */
static inline bool machine_has(const struct machine* machine, const struct machine_part* part)
{
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i] == part)
            return true;
    return false;
}

/* Ends the run, as the machine does not do the operation. */
_Noreturn void machine_refuse(const struct machine* machine, const struct operation* operation);

/* The row of an operation. Ends the run if the machine does not do it. */
static inline const struct row* machine_row(const struct machine* machine,
                                            const struct operation* operation)
{
    const struct row* row =
        operation->kind < PART_OPERATIONS ? machine->rows[operation->kind] : NULL;
    if (row == NULL)
        machine_refuse(machine, operation);
    return row;
}
