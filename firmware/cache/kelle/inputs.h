// SPDX-License-Identifier: Apache-2.0
/* Kelle's recomputation (section 4.1.2). A token that more than half of the heads keep is stored
 * as its layer's input, and so is each arriving token while a row is free. In every pass the
 * rows in use are fetched after the arriving tokens' inputs, one product computes keys and
 * values for all of them, and readers find the recomputed vectors through a redirection table. */
#pragma once

#include "core/abi/model_image.h"
#include "firmware/cache/hooks.h"
#include "firmware/cache/tables.h"
#include "firmware/hal/space.h"

#include <stdbool.h>
#include <stdint.h>

/* Places of the stored inputs and of their tables; R = cache.input_rows. */
struct stored_inputs {
    uint64_t* rows;                        /* Rows by layer: elements [batch][R][dim]. */
    uint64_t scales;                       /* FP32 [layer][batch][R] */
    uint64_t holders, positions;           /* 32-bit tables with the same shape, one after the
                                            * other. */
    uint64_t gather;                       /* [R]: of the entry being selected from */
    uint64_t prefill_rows, prefill_scales; /* [layer][prefilled], by position */
    uint32_t* current;                     /* [layer][batch]: row for the arriving token */
    uint32_t* used;                        /* rows in use, by layer */
};

extern const struct cache_hooks inputs_hooks;

/* Forgets which rows are in use: a new batch. */
void inputs_clear(const struct cache* cache);

/* Writes to rows[layer] the largest number of rows that any entry has in use now, at least 1 (0
 * for local layers). False: no layer has one in use. */
bool inputs_in_use(const struct cache* cache, uint32_t entries, uint32_t* rows);
