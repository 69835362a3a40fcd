// SPDX-License-Identifier: Apache-2.0
/* The private interface of placement: the functions by which placement_open finds places for
 * activations. */
#pragma once

#include "firmware/hal/space.h"
#include "firmware/target/extent.h"
#include "firmware/target/part.h"
#include "firmware/target/placement.h"

#include <stdbool.h>
#include <stdint.h>

/* The inputs of placing. */
struct job {
    const struct machine_placing* machine;
    const struct model* model;
    const struct policy* policy;
    const struct placement_request* request;
    uint32_t prefilled;
    bool staged;
    bool tiled;         /* a prefill's queries, scores and probabilities exist only in tiles */
    uint32_t activated; /* number of tokens with ACTIVATED vectors at the same time */
};

/* Returns the number of slots in a row of scores in a prefill. */
uint32_t placing_width(const struct job* job);

struct load placing_load_of_decode(const struct job* job);
struct load placing_load_of_prefill(const struct job* job, uint64_t chunk);
/* Returns the load that covers both decode steps and a prefill with this chunk. */
struct load placing_load_of_any(const struct job* job, uint64_t chunk);

struct extent placing_extent(const struct job* job, const struct load* load, unsigned value);
/* Returns the bytes of the value, including its scales. */
uint64_t placing_bytes(const struct job* job, const struct load* load, unsigned value);

/* Returns whether all repeatedly read operands of products stay on chip if values are placed in the
 * usual order (machine_placing.activations). */
bool placing_usual_order_suits(const struct space* space, const struct job* job,
                               const struct load* load);

/* Places the repeatedly read operands of products on chip if they fit. Elements and scales are
 * placed separately. Returns false if not all of them fit. */
bool placing_take_reread(struct space* space, const struct job* job, const struct load* load,
                         struct operand values[CACHE_VALUES]);

/* placing_take places one activation on chip if it fits. placing_take_all does so with all
 * activations that have no place yet. */
void placing_take(struct space* space, const struct job* job, const struct load* load,
                  unsigned value, struct operand values[CACHE_VALUES]);
void placing_take_all(struct space* space, const struct job* job, const struct load* load,
                      bool reread_first, struct operand values[CACHE_VALUES]);

/* Places all activations of decode steps and of untiled prefills. Both share one layout if all
 * repeatedly read operands fit on chip. Otherwise each has its own layout in the same bytes,
 * with the inputs of products first; the machine uses the remaining on-chip memory as work
 * space. */
void placing_take_whole(struct space* space, const struct job* job, uint32_t chunk,
                        struct operand* values, struct operand* prefill_values, struct work* work);

/* Returns whether all of these values (VALUE_BITs) of a prefill would fit on chip in this layout.
 * Values outside the set need not fit anywhere. */
bool placing_whole_is_on_chip(const struct space* space, const struct job* job, uint32_t chunk,
                              uint32_t values);

/* Places all activations. Prefills are tiled or not, as placement_open requires. */
void placing_take_activations(struct placement* placement, const struct tiling_rules* tiling,
                              struct job* job);

/* Places the additional values of a pass that verifies guesses: logits for all rows. It runs last,
 * so that all other places, and the size of tiles, are the same as without guesses. */
void placing_take_verified(struct placement* placement, const struct job* job);
