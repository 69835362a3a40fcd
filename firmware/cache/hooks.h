// SPDX-License-Identifier: Apache-2.0
/* How a cache takes part in a pass and in what lies between passes. A cache is made of sets of
 * hooks (cache.c chooses them); every hook may be NULL, and each is called in the order of the
 * sets.
 *
 *   open_form      which of a pass's steps there are                once
 *   place_slices   the slices, in place of residency.h's           once
 *   layer_bytes    what it keeps in memory beside a layer's keys
 *                  and values; place_layer: where that came to lie  once
 *   place          its tables; place_prefill: those of a prefill    once
 *
 *   snapshot       tables that the pass reads while others change    after the norm of attention
 *   arrive         what the arriving tokens find                     then
 *   amend          what one of the transformer's operations reads
 *                  and writes of the cache                           each operation
 *   store          beside what arrives                               after STORE_KEY, STORE_VALUE
 *   visited        keys (or values) have been read                   after SCORES (MIX)
 *   score          attention has been paid                           after SCORES, SOFTMAX, MIX
 *   evict          attention is done: who leaves                     after MIX
 *
 *   new_batch, new_batch_layer, new_prefill                          before any token arrives
 *   select, gather  what is kept of a prefill, and where it goes     after a prefill, by layer
 */
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
    uint32_t layer; /* LEVEE_NO_LAYER: of all layers */
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

/* The most operations that hooks add to a list of the transformer's, or make up a list between
 * passes. */
#define CACHE_MAX_OPERATIONS 32u

/* Appends a layer's operations of the transformer with the cache's between them. */
void cache_weave(const struct cache* cache, const struct pass* pass,
                 const struct operation_list* transformer, struct operation_list* out);

/* Lists between passes; `layer` as in cache_step. Each appends to `list`. */
void cache_list_new_batch(const struct cache_step* step, struct operation_list* list);
void cache_list_new_prefill(const struct cache_step* step, struct operation_list* list);
void cache_list_selection(const struct cache_step* step, struct operation_list* list);

/* For hooks: appends `operation` for the step's layer, or one for each of `count` kinds. */
void cache_put(const struct cache_step* step, struct operation_list* list,
               struct operation operation);
void cache_put_all(const struct cache_step* step, struct operation_list* list, const uint8_t* kinds,
                   uint32_t count, struct operation operation);

/* For amend: SCORES and MIX read staged keys or values through the redirection table. */
void cache_read_staged(struct operation* operation);
