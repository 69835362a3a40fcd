// SPDX-License-Identifier: Apache-2.0
/* Sets regions and refresh intervals of refreshed memories, for every machine that stores keys and
 * values in them. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/cache/store.h"
#include "firmware/target/part.h"

#include <stdbool.h>

store_describe refresh_describe;

/* Returns whether activations are in refreshed memory. */
bool refresh_of_activations(void);

/* Called from machine_start. Sets the scenario's intervals, and the vectors that the register file
 * describes. */
void refresh_start(const struct lowering* lowering);

/* Called from machine_new_batch. Discards all keys and values. */
void refresh_new_batch(const struct lowering* lowering);

/* For the field .is_needed in the rows of INVALIDATE, FILL_KEYS and FILL_VALUES. Returns true for
 * parts of the cache in refreshed memory. */
bool refresh_has_rows(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part);
