// SPDX-License-Identifier: Apache-2.0
/* Places of values: the key/value cache in the memories with that role, activations on chip
 * while they fit, everything else in the spill memory. */
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
    uint64_t scale; /* Scale next to its vectors, otherwise 0: each vector of an INT16 value has
                     * an FP32 scale. */
};

/* On-chip memory for partial sums of a prefill's products; 0: none. */
struct work {
    uint64_t data, bytes;
};

/* The inputs of a placement. */
struct placement_request {
    uint32_t batch;    /* sequences */
    uint32_t context;  /* most tokens of one */
    uint32_t prefill;  /* most tokens of one that are prefilled */
    uint32_t chunk;    /* tokens prefilled at once; 0: as placement_open chooses */
    uint32_t verified; /* most tokens of a pass that verifies guesses; 0: no guesses */
    bool all_logits;   /* logits of all of a chunk's tokens, or only of the last */
    bool separate;     /* Q, K and V by a product each */
};

struct placement {
    /* Places of activations in a decode step, and in a prefill; not of PICKS, which the pass names.
     */
    struct operand values[CACHE_VALUES], prefill_values[CACHE_VALUES];
    struct operand verified_logits; /* Logits of a pass that verifies guesses. */
    struct cache cache;
    uint64_t tiles,
        tile_bytes;  /* On-chip bytes for a prefill's attention tile by tile; 0: it is whole. */
    uint32_t shared; /* VALUE_BITs: values of a prefill that share this place, one at a time */
    struct work work;
    uint32_t context;
    uint32_t longest_prefill; /* most tokens of one that are prefilled */
    uint32_t prefilled;       /* room for tokens of one that a limited cache is selected from */
    uint32_t batch;
    uint32_t verified;  /* most tokens of a pass that verifies guesses; 0: no guesses */
    uint32_t chunk;     /* most tokens of one prefill pass */
    uint32_t activated; /* Largest number of these that have ACTIVATED vectors at a time. */
    struct space space;
};

/* Places everything. An open chunk size is chosen as follows. It is the largest of 64, 32 and 16
 * tokens with all activations on chip; otherwise 16, if the repeatedly read operands of products
 * with weights stay on chip; otherwise, with these operands placed first, the largest of 512,
 * 256, ... 16 for which they stay on chip; otherwise the largest that has room. Ends the run,
 * naming the value and the memory, if something does not fit.
 *
 * A prefill's attention is tiled where the machine can, if its scores would not all be on chip,
 * or if they make tokens important, as those pass by on a stream. Tiles share the on-chip memory
 * that the rest of a prefill leaves with the operands that products read repeatedly; one of
 * these, ACTIVATED, may be there for only some tokens of a chunk at a time. First, an eighth of
 * the room is set aside for them, or the room for the largest operand that fits (including half
 * of the rings' reserve), or all of it if that is too little for all queries of a chunk. */
void placement_open(struct placement* placement, const struct machine* machine,
                    const struct model* model, const struct policy* policy,
                    const struct placement_request* request);

/* Places a second model's passes, which never run at once with those of the first placement. Keys
 * and values lie behind the first one's, in memory that is not refreshed. Activations on chip lie
 * in the bytes of the first one's, or spill. */
void placement_open_beside(struct placement* placement, struct placement* first,
                           const struct machine* machine, const struct model* model,
                           const struct policy* policy, const struct placement_request* request);

/* Reports `<memory>.placed_bytes`, the contents of each memory, except for the machine's final
 * share, which it reports itself. */
void placement_report(const struct placement* placement);

/* Slots a row of scores has in a pass. */
uint32_t placement_width(const struct placement* placement, const struct pass* pass);
