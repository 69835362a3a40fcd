// SPDX-License-Identifier: Apache-2.0
/* What happens to a cache between passes: it is emptied for a new batch, what a prefill has left
 * beside it is selected from, and where a run leaves passes out, memory that is refreshed gets what
 * they would have left there. */
#pragma once

#include "firmware/llm/operation.h"
#include "firmware/llm/placement.h"

#include <stddef.h>

#define SETTLE_MAX_OPERATIONS 8 /* of one list, each once for all parts of the cache */

/* Each fills `list` and returns how many operations it holds. */
size_t settle_new_batch(const struct cache* cache, struct operation* list);
size_t settle_new_batch_layer(const struct cache* cache, uint32_t layer, struct operation* list);
size_t settle_new_ring(const struct rings* rings, struct operation* list);
size_t settle_new_prefill(const struct cache* cache, struct operation* list);
size_t settle_skipped(uint32_t layer, struct operation* list);
size_t settle_selection(const struct cache* cache, uint32_t layer, struct operation* list);
