// SPDX-License-Identifier: Apache-2.0
/* Distributes the cache's slices over memories. */
#pragma once

#include "firmware/cache/tables.h"

/* Places keys, values, their scales and the hooks' additional data, and lists each layer's parts.
 * `describe` returns the properties of each memory. If the data do not fit, ends the run with the
 * memory's name. */
void residency_place(struct cache* cache, struct space* space, store_describe* describe);
