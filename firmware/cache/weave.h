// SPDX-License-Identifier: Apache-2.0
/* Makes lists of operations in which the cache's hooks take part. */
#pragma once

#include "firmware/cache/hooks.h"

/* Appends the transformer's operations of a layer, with the operations of the cache's hooks between
 * them. */
void cache_weave(const struct cache* cache, const struct pass* pass,
                 const struct operation_list* transformer, struct operation_list* out);

/* Make lists of operations that run between passes; `layer` is the member of cache_step. Each
 * function appends to `list`. */
void cache_list_new_batch(const struct cache_step* step, struct operation_list* list);
void cache_list_new_prefill(const struct cache_step* step, struct operation_list* list);
void cache_list_selection(const struct cache_step* step, struct operation_list* list);
