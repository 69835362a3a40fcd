// SPDX-License-Identifier: Apache-2.0
/* The hooks with which a cache adds operations to passes and between passes. A cache consists of
 * sets of hooks, which cache.c selects. Any hook may be NULL. If several sets have a hook, it is
 * called for each set, in the order of the sets. */
#pragma once

#include "firmware/cache/pass.h"
#include "firmware/cache/store.h"
#include "firmware/hal/space.h"
#include "firmware/llm/operation.h"

struct cache;

/* Context in which a hook is called. */
struct cache_step {
    const struct cache* cache;
    const struct pass* pass;
    uint32_t layer; /* the layer; LEVEE_NO_LAYER: all layers */
};

struct cache_hooks {
    void (*open_form)(const struct cache* cache, struct cache_form* prefill,
                      struct cache_form* decode);
    void (*place_slices)(struct cache* cache, struct space* space, store_describe* describe);
    uint64_t (*layer_bytes)(const struct cache* cache);
    void (*place_layer)(const struct cache* cache, uint32_t layer, uint64_t address);
    void (*place)(struct cache* cache, struct space* space);
    void (*place_prefill)(struct cache* cache, struct space* space);

    void (*snapshot)(const struct cache_step* step, struct operation_list* list);
    void (*arrive)(const struct cache_step* step, struct operation_list* list);
    void (*amend)(const struct cache_step* step, struct operation* operation);
    void (*store)(const struct cache_step* step, const struct operation* stored,
                  struct operation_list* list);
    void (*visited)(const struct cache_step* step, const struct operation* visitor,
                    struct operation_list* list);
    void (*score)(const struct cache_step* step, const struct operation* scorer,
                  struct operation_list* list);
    void (*evict)(const struct cache_step* step, struct operation_list* list);

    void (*new_batch)(const struct cache_step* step, struct operation_list* list);
    void (*new_batch_layer)(const struct cache_step* step, struct operation_list* list);
    void (*new_prefill)(const struct cache_step* step, struct operation_list* list);
    void (*select)(const struct cache_step* step, struct operation_list* list);
    void (*gather)(const struct cache_step* step, struct operation_list* list);
};

/* Greatest number of operations that hooks add to one of the transformer's lists, or that a list
 * between passes contains. */
#define CACHE_MAX_OPERATIONS 32u

/* Append operations on behalf of hooks: either `operation` for the step's layer, or one operation
 * for each of `count` kinds. */
void cache_put(const struct cache_step* step, struct operation_list* list,
               struct operation operation);
void cache_put_all(const struct cache_step* step, struct operation_list* list, const uint8_t* kinds,
                   uint32_t count, struct operation operation);

/* For the hook amend: makes SCORES or MIX read staged keys or values through the redirection
 * table. */
void cache_read_staged(struct operation* operation);
