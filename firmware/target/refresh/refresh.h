// SPDX-License-Identifier: Apache-2.0
/* Refreshed memories, for every machine that puts keys and values into them: their regions, and
 * their refresh intervals. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/cache/store.h"
#include "firmware/target/part.h"

#include <stdbool.h>

store_describe refresh_describe;

/* Whether activations lie in refreshed memory. */
bool refresh_of_activations(void);

/* The scenario's intervals, and which vectors the register file describes (machine_start). */
void refresh_start(const struct lowering* lowering);

/* Discards all keys and values (machine_new_batch). */
void refresh_new_batch(const struct lowering* lowering);

/* A row's .is_needed of INVALIDATE, FILL_KEYS and FILL_VALUES: true for parts in refreshed
 * memory. */
bool refresh_has_rows(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part);
