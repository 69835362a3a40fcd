// SPDX-License-Identifier: Apache-2.0
/* A cache of limited size, in which a policy assigns the slots. An arriving token takes the spare
 * slot of its slice, and EVICT chooses the slot for the next token. A prefill has its own cache. At
 * the end of the prefill, SELECT chooses the tokens that each head keeps, and they are gathered
 * into their slots. */
#pragma once

#include "firmware/cache/hooks.h"

extern const struct cache_hooks slots_hooks;

/* Functions for sets of hooks that choose tokens by another criterion but use the same tables.
 * slots_place reserves the slot tables, with importance and positions for `scored` slots of all
 * layers together. slots_place_prefill reserves the keys and values of a prefill, and `scored`
 * importance scores for each layer and prefilled token. slots_place_prefilled reserves only the
 * keys and values of a prefill, for a number of layers. */
void slots_open_form(const struct cache* cache, struct cache_form* prefill,
                     struct cache_form* decode);
void slots_place(struct cache* cache, struct space* space, uint64_t scored);
void slots_place_prefill(struct cache* cache, struct space* space, uint32_t scored);
void slots_place_prefilled(struct cache* cache, struct space* space, uint32_t layers);
void slots_snapshot(const struct cache_step* step, struct operation_list* list);
void slots_amend(const struct cache_step* step, struct operation* operation);
void slots_new_batch(const struct cache_step* step, struct operation_list* list);
void slots_new_prefill(const struct cache_step* step, struct operation_list* list);
void slots_gather(const struct cache_step* step, struct operation_list* list);
#define SLOTS_SHARED_HOOKS                                                                         \
    .open_form = slots_open_form, .snapshot = slots_snapshot, .amend = slots_amend,                \
    .new_batch = slots_new_batch, .new_prefill = slots_new_prefill, .gather = slots_gather
