// SPDX-License-Identifier: Apache-2.0
/* The private part of placement: the places of activations in placement_open. */
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
    bool tiled;         /* a prefill's queries, scores and probabilities are only in tiles, */
    uint32_t activated; /* Number of tokens with ACTIVATED vectors at a time. */
};

/* Slots of a row of scores in a prefill. */
uint32_t placing_width(const struct job* job);

struct load placing_load_of_decode(const struct job* job);
struct load placing_load_of_prefill(const struct job* job, uint64_t chunk);
/* A load as large as both. */
struct load placing_load_of_any(const struct job* job, uint64_t chunk);

struct extent placing_extent(const struct job* job, const struct load* load, unsigned value);
/* Bytes of the value, including its scales. */
uint64_t placing_bytes(const struct job* job, const struct load* load, unsigned value);

/* Whether the usual order leaves no repeatedly read operand of products in the spill memory. */
bool placing_usual_order_suits(const struct space* space, const struct job* job,
                               const struct load* load);

/* Places repeatedly read operands of products on chip as far as there is room, elements and
 * scales separately. False: not all fit. */
bool placing_take_reread(struct space* space, const struct job* job, const struct load* load,
                         struct operand values[CACHE_VALUES]);

/* Places one activation, or all that have no place yet: on chip, if there is room. */
void placing_take(struct space* space, const struct job* job, const struct load* load,
                  unsigned value, struct operand values[CACHE_VALUES]);
void placing_take_all(struct space* space, const struct job* job, const struct load* load,
                      bool reread_first, struct operand values[CACHE_VALUES]);

/* Places all activations of decode steps and of untiled prefills. Both share one place if all
 * repeatedly read operands fit on chip. Otherwise each has its own layout in the same bytes,
 * with the inputs of products first; the remaining on-chip memory is the machine's work space. */
void placing_take_whole(struct space* space, const struct job* job, uint32_t chunk,
                        struct operand* values, struct operand* prefill_values, struct work* work);

/* Whether this leaves room on chip for all of the values (VALUE_BITs) of a prefill. Other values
 * may have no room at all. */
bool placing_whole_is_on_chip(const struct space* space, const struct job* job, uint32_t chunk,
                              uint32_t values);

/* The same, tiled or not, as is better (placement_open). */
void placing_take_activations(struct placement* placement, const struct tiling_rules* tiling,
                              struct job* job);

/* Places the additional values of a pass that verifies guesses: all logits. It comes last, so
 * that all other places, and the size of tiles, are the same as without guesses. */
void placing_take_verified(struct placement* placement, const struct job* job);
