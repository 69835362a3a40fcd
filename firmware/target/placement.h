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
    uint64_t scale; /* scale beside its vectors, else 0: an INT16 value has an FP32 each */
};

/* On chip, for partial sums of a prefill's products; 0: there is none. */
struct work {
    uint64_t data, bytes;
};

/* The inputs of a placement. */
struct placement_request {
    uint32_t batch;    /* sequences */
    uint32_t context;  /* most tokens of one */
    uint32_t prefill;  /* most tokens of one that are prefilled */
    uint32_t chunk;    /* tokens prefilled at once; 0: as placement_open chooses */
    uint32_t verified; /* most tokens of a pass that verifies guesses; 0: there is none */
    bool all_logits;   /* logits of all of a chunk's tokens, or only of the last */
    bool separate;     /* Q, K and V by a product each */
};

struct placement {
    /* Places of activations in a decode step, and in a prefill; not of PICKS, which the pass names.
     */
    struct operand values[CACHE_VALUES], prefill_values[CACHE_VALUES];
    struct operand verified_logits; /* of a pass that verifies guesses */
    struct cache cache;
    uint64_t tiles,
        tile_bytes;  /* on chip, for a prefill's attention tile by tile; 0: it is whole */
    uint32_t shared; /* VALUE_BITs: of these a prefill has one at a time, there */
    struct work work;
    uint32_t context;
    uint32_t longest_prefill; /* most tokens of one that are prefilled */
    uint32_t prefilled;       /* room for tokens of one that a limited cache is selected from */
    uint32_t batch;
    uint32_t verified;  /* most tokens of a pass that verifies guesses; 0: there is none */
    uint32_t chunk;     /* most tokens of one prefill pass */
    uint32_t activated; /* of these, the most that have ACTIVATED vectors at a time */
    struct space space;
};

/* Places everything. The chunk, if it is left open, is the most of 64, 32 and 16 tokens that keeps
 * all activations on chip; else 16, if what products with weights read again stays there; if it
 * does not without being placed first, the most of 512, 256, ... 16 for which it then does; else
 * the most that have room. Ends the run, naming the value and the memory, if something does not
 * fit.
 *
 * A prefill's attention is tiled where the machine can, if its scores would not all be on chip, or
 * if they make tokens important, as those pass by on a stream. Its tiles share what everything else
 * of a prefill leaves on chip with the operands that products read again, one of which, ACTIVATED,
 * may be there for some tokens of a chunk at a time. Before all else an eighth of the room is set
 * aside for them; or what the largest operand needs that has room, to which half of what rings have
 * set aside belongs; or all, where that is too little to take all queries of a chunk at once. */
void placement_open(struct placement* placement, const struct machine* machine,
                    const struct model* model, const struct policy* policy,
                    const struct placement_request* request);

/* Reports `<memory>.placed_bytes`, what each memory holds, but for what the machine takes in the
 * end, which it reports itself. */
void placement_report(const struct placement* placement);

/* Slots a row of scores has in a pass. */
uint32_t placement_width(const struct placement* placement, const struct pass* pass);
