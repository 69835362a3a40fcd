// SPDX-License-Identifier: Apache-2.0
/* Which slices of the cache lie in which memory. */
#pragma once

#include "firmware/cache/tables.h"

/* Places keys, values, their scales and what hooks keep beside a layer in the memories as
 * `describe` says they are, and lists each layer's parts. Ends the run, naming the memory, if they
 * do not fit. */
void residency_place(struct cache* cache, struct space* space, store_describe* describe);
