// SPDX-License-Identifier: Apache-2.0
/* Memories of this machine that must be refreshed: how keys and values are put into them, and at
 * which intervals they refresh what. */
#pragma once

#include "firmware/cache/cache.h"
#include "firmware/cache/store.h"

#include <stdbool.h>

store_describe refresh_describe;

/* Whether activations lie in such a memory. */
bool refresh_of_activations(void);

/* The scenario's intervals, and which vectors the register file describes. */
void refresh_open(const struct cache* cache);

/* Nothing that keys and values lie in is of use any more. */
void refresh_new_batch(const struct cache* cache);
