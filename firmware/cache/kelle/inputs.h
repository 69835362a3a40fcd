// SPDX-License-Identifier: Apache-2.0
/* Kelle's recomputation (section 4.1.2). If more than half of the heads keep a token, its layer
 * input is stored instead of its keys and values. Each arriving token is also stored as its input
 * if a row is free. Every pass fetches the rows in use and places them after the arriving tokens'
 * inputs. One product then computes keys and values for all of these tokens. Operations that read
 * keys and values find the recomputed vectors through a redirection table. */
#pragma once

#include "core/abi/model_image.h"
#include "firmware/cache/hooks.h"
#include "firmware/cache/tables.h"
#include "firmware/hal/space.h"

#include <stdbool.h>
#include <stdint.h>

/* Addresses of the stored inputs and of their tables. R is cache.input_rows. */
struct stored_inputs {
    uint64_t* rows;                        /* Rows by layer: elements [batch][R][dim]. */
    uint64_t scales;                       /* FP32 [layer][batch][R] */
    uint64_t holders, positions;           /* 32-bit tables of the same shape, one after
                                            * the other */
    uint64_t gather;                       /* [R], of the entry that SELECT processes */
    uint64_t prefill_rows, prefill_scales; /* [layer][prefilled], by position */
    uint32_t* current;                     /* [layer][batch]: row for the arriving token */
    uint32_t* used;                        /* rows in use, by layer */
};

extern const struct cache_hooks inputs_hooks;

/* Marks all rows as free, for a new batch. */
void inputs_clear(const struct cache* cache);

/* Sets rows[layer] to the largest number of rows that any entry now uses in the layer. The number
 * is at least 1, but 0 for local layers. Returns false if no layer uses any rows. */
bool inputs_in_use(const struct cache* cache, uint32_t entries, uint32_t* rows);
