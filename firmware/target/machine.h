// SPDX-License-Identifier: Apache-2.0
/* A machine: parts that together execute every operation of a model and its cache. The scenario
 * names one of the built-in compositions (compositions.c), or lists the parts. Each operation
 * has exactly one row, from one part. Rows of the parts for weights and for attention take
 * precedence over those of the part for functions. */
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
    uint8_t lies_with[CACHE_VALUES]; /* the value whose place this value uses; VALUE_NONE: it has
                                      * its own place */
    const struct kv_form* kv_forms;
    uint32_t kv_form_count;
    bool kv_scaled;
    const uint8_t* activations;
    uint8_t reread[MACHINE_REREAD];
    uint32_t activation_count, reread_count;
    uint32_t reread_roles[2]; /* roles of on-chip memories for `reread` */
    uint64_t (*sum_bytes)(void);
};

struct machine {
    const char* name; /* name in messages: the scenario's, or the parts' names */
    const struct machine_part* parts[PART_ROLES + MACHINE_CACHE_PARTS]; /* parts by role, then
                                                                         * those of the cache */
    uint32_t part_count;
    bool separate; /* one product each for Q, K and V */
    bool staged;   /* arriving keys and values stay outside the cache until they have been used */
    bool kv_queue; /* products with keys and values run at the same time as those with weights */
    const struct row* rows[PART_OPERATIONS];
    uint8_t ordered_with[CACHE_VALUES]; /* the value with which this value is ordered;
                                         * VALUE_NONE: only with itself */
    struct machine_placing placing;
    const struct tiling_rules* tiling; /* NULL: prefills are never tiled */
    uint32_t first_port;               /* the first port after those of parts without their own
                                        * port numbers */
    uint32_t importance_port;          /* port on which attention sends probabilities */
    bool last_reads; /* activations are in refreshed memory, so descriptors mark the last reads
                      * of their inputs */
};

/* Chooses the composition that the scenario requests, with all parts except those for the cache. If
 * the name is unknown, or if the parts do not fit together, ends the run with a list of valid
 * names. */
void machine_choose(struct machine* machine);

/* Chooses the composition that reads all matrices from memory, independent of the scenario. */
void machine_choose_plain(struct machine* machine);

/* Ends the run if the parts do not support the weights, the batch or the chunk. */
void machine_check_model(const struct machine* machine, const struct model* model);

/* Determines the cache's parts, the rows, and the formats and places of values. Ends the run if
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

/* Returns whether a prefill can mask the tokens before each token's window. */
static inline bool machine_masks(const struct machine* machine)
{
    return (machine_attention(machine)->abilities & ATTENTION_BANDS) != 0;
}

/* Returns whether the machine contains the part. */
static inline bool machine_has(const struct machine* machine, const struct machine_part* part)
{
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i] == part)
            return true;
    return false;
}

/* Ends the run because the machine does not support the operation. */
_Noreturn void machine_refuse(const struct machine* machine, const struct operation* operation);

/* Returns the row of an operation. Ends the run if the machine does not support the operation. */
static inline const struct row* machine_row(const struct machine* machine,
                                            const struct operation* operation)
{
    const struct row* row =
        operation->kind < PART_OPERATIONS ? machine->rows[operation->kind] : NULL;
    if (row == NULL)
        machine_refuse(machine, operation);
    return row;
}
