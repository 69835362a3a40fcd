// SPDX-License-Identifier: Apache-2.0
/* Distribution of the cache's slices over memories. */
#pragma once

#include "firmware/cache/tables.h"

/* Places keys, values, their scales and the hooks' additional data in the memories that
 * `describe` describes, and lists each layer's parts. Ends the run with the memory's name if
 * they do not fit. */
void residency_place(struct cache* cache, struct space* space, store_describe* describe);
