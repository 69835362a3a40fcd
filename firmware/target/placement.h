// SPDX-License-Identifier: Apache-2.0
/* Places values in memories. Keys and values go to memories with that role. Activations are on chip
 * if they fit there. Everything else goes to the spill memory. */
#pragma once

#include "core/abi/boot_info.h"
#include "firmware/cache/cache.h"
#include "firmware/cache/operations.h"
#include "firmware/hal/space.h"
#include "firmware/target/machine.h"

#include <stdbool.h>
#include <stdint.h>

struct operand {
    uint64_t data;
    uint64_t scale; /* address of the scales, one FP32 for each INT16 vector; 0: they are stored
                     * next to the vectors */
};

/* On-chip memory for partial sums of a prefill's products; 0 bytes: none. */
struct work {
    uint64_t data, bytes;
};

/* The inputs of a placement. */
struct placement_request {
    uint32_t batch;    /* number of sequences */
    uint32_t context;  /* greatest number of tokens per sequence */
    uint32_t prefill;  /* greatest number of prefilled tokens per sequence */
    uint32_t chunk;    /* tokens that are prefilled at once; 0: placement_open chooses */
    uint32_t verified; /* greatest number of tokens in a pass that verifies guesses; 0: no
                          guesses */
    bool all_logits;   /* logits of all tokens of a chunk, not only of the last */
    bool separate;     /* one product each for Q, K and V */
};

struct placement {
    /* Places of activations, in a decode step and in a prefill. The place of PICKS differs from
     * pass to pass, so the pass sets it. */
    struct operand values[CACHE_VALUES], prefill_values[CACHE_VALUES];
    struct operand verified_logits; /* logits of a pass that verifies guesses */
    struct cache cache;
    uint64_t tiles,
        tile_bytes;  /* on-chip bytes for tiled attention in a prefill; 0: attention is not tiled */
    uint32_t shared; /* VALUE_BITs of a prefill's values that use the tiles' memory, one at a
                        time */
    struct work work;
    uint32_t context;
    uint32_t longest_prefill; /* greatest number of prefilled tokens per sequence */
    uint32_t prefilled;       /* number of tokens in a prefill's own cache, from which a limited
                                 cache is selected */
    uint32_t batch;
    uint32_t verified;  /* greatest number of tokens in a pass that verifies guesses; 0: no
                           guesses */
    uint32_t chunk;     /* greatest number of tokens in a prefill pass */
    uint32_t activated; /* greatest number of tokens that have ACTIVATED vectors at the same time */
    struct space space;
};

/* Reports `<memory>.placed_bytes`, the bytes placed in each memory. The bytes that the machine
 * takes at the end are reported by the machine. */
void placement_report(const struct placement* placement);

/* Returns the number of slots in a row of scores in this pass. */
uint32_t placement_width(const struct placement* placement, const struct pass* pass);
