// SPDX-License-Identifier: Apache-2.0
/* Places of keys and values, and of the tables about them.
 *
 * The unit is a slice: the `slots` vectors of one layer, batch entry and KV head, its keys in
 * one place and its values in another. Memories with the role kv are filled in file order, slice
 * by slice; a layer's slices form at most CACHE_MAX_PARTS rectangles (entries x heads in one
 * memory). In an eDRAM divided into keys and values a slice takes the same offset in both
 * halves, and the slices are followed by the hooks' additional data for layers that are
 * completely there.
 *
 * Scales and tables are indexed by slot, too, but lie elsewhere, and so do prefilled tokens from
 * which a policy has yet to select.
 *
 * Hooks (hooks.h) know their cache by this header, which knows no hook. cache.h makes a cache
 * from sets of hooks. */
#pragma once

#include "firmware/cache/pass.h"
#include "firmware/cache/policy.h"
#include "firmware/cache/store.h"
#include "firmware/hal/space.h"
#include "firmware/llm/model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Format of the elements of keys and values. A model's heads have an even number of elements, so
 * vectors are whole bytes. */
struct kv_form {
    uint8_t bits;
    uint8_t type; /* enum levee_type */
};

#define CACHE_MAX_PARTS 4
#define CACHE_MAX_HOOKS 3

/* A rectangle of a layer's slices: entry by entry, head by head, without gaps. */
struct part {
    uint16_t entry, entries, head, heads;
    bool refreshed;        /* Whether the memory needs refresh. */
    uint64_t keys, values; /* elements [entries][heads][slots][D] */
    uint64_t views;        /* bytes [entries][heads][slots] of the store's register file; 0: none */
};

struct cache_layer {
    struct part parts[CACHE_MAX_PARTS];
    uint32_t part_count;
    bool local;     /* Tokens leave in the order of their arrival. */
    bool masked;    /* it follows the policy, and attends to its window alone */
    uint32_t slots; /* Slots of a slice. */
    uint32_t rank; /* number of preceding layers that follow the policy; for a local layer, of those
                      that do not */
    uint64_t first_slot; /* Index of the layer's first slot among the slots of all slices, layer by
                            layer. */
};

/* The prefill's own cache, by position: [layer][G][prefilled] and so on, for one entry at a
 * time. It has all layers if the policy selects from it. Otherwise it has only local layers, and
 * only the last tokens of a long prompt; the session knows the first of these. */
struct prefill_cache {
    uint64_t keys, values, key_scales, value_scales;
    uint64_t importance; /* 16 bit [layer][G][prefilled]; votes: [layer][prefilled] */
    uint64_t importance_bytes;
};

/* Results of a search for each KV head: [batch][G][width], reused by each layer. */
struct listing {
    uint32_t width;                    /* the most slots that are listed; 0: nothing is searched */
    uint64_t slots;                    /* words, in ascending order */
    uint64_t key_scales, value_scales; /* FP32; latent attention: the same */
    /* For compressed rows, which are expanded for all heads: [batch][slots] words with the slots
     * that any head lists (except the arriving token), and [batch] counts. `slots` then are
     * positions in this list. */
    uint64_t any, any_count;
};

struct cache;
struct cache_hooks;
struct compressed;
struct slices;
struct stored_inputs;

/* Cache of a pass's entries as the single part of any layer. */
typedef struct slices slices_of_pass(const struct cache* cache, const struct pass* pass);

struct cache {
    const struct model* model;
    const struct policy* policy;
    const struct cache_hooks* hooks[CACHE_MAX_HOOKS];
    uint32_t hook_count;
    struct cache_forms prefill_forms, decode_forms;
    uint32_t batch, input_rows;
    uint32_t slots;        /* Slots of a slice in layers that follow the policy. */
    struct kv_form form;   /* Form of keys and values. */
    uint32_t vector_bytes; /* Bytes of a key or a value. */
    uint32_t value_bytes;  /* Distance from a key to its value, which is its end; 0: values lie
                            * apart. */
    uint32_t input_element_bytes; /* Bytes of an element of a stored input. */
    bool scaled;                  /* Whether each vector has an FP32 scale. */
    uint32_t prefilled;           /* tokens for which the prefill's own cache has room */
    struct cache_layer* layers;   /* Layers, followed by the totals. */
    uint32_t full_layers;         /* Number of layers that follow the policy. */
    slices_of_pass* one_part;     /* Not NULL: used by decode passes instead of `layers`. */
    struct store store;           /* the first memory with the role kv */
    uint32_t refreshed;           /* Memories with this role that need refresh: one bit for each of
                                   * boot_info's memories. */
    struct prefill_cache prefill;
    struct stored_inputs* inputs;  /* NULL: none are stored (kelle/inputs.h) */
    struct compressed* compressed; /* NULL: rows are not (compressed.h) */
    struct listing listing;        /* retrieval.c */

    uint64_t key_scales, value_scales; /* FP32 [layer][batch][G][the layer's slots] */
    /* 16 bit [layer][batch][G][slots], of layers that follow the policy; votes:
     * [layer][batch][slots]. */
    uint64_t importance;
    uint64_t positions; /* 32 bit, as importance */
    uint64_t gather;    /* [G][slots]: of the entry being selected from */

    /* State that a layer reads while the policy changes it: tables of each layer, and a snapshot
     * from when the running one began. With stored inputs: redirect [batch][G][slots], slot_of
     * [batch][G][input_rows], next [G][batch]; without: next. `staged_slots` has next only;
     * `redirect` serves where no inputs are stored. */
    uint64_t tables, snapshot, staged_slots, redirect;
    uint32_t table_bytes; /* Bytes of the tables of one layer. */

    uint32_t resident_slices;                /* Slices in the first store, if that is refreshed. */
    uint64_t resident_vectors;               /* Number of keys in these. */
    uint64_t half_bytes[LEVEE_MAX_MEMORIES]; /* Bytes of each half of a divided memory. */
};

/* Reserves a place for a hook's tables: in the memory for tables, or in the general spill space. */
uint64_t cache_place_state(struct space* space, uint64_t bytes, const char* what);
uint64_t cache_place_spill(struct space* space, uint64_t bytes, const char* what);

/* The tables within an address of tables (cache.tables + layer * table_bytes, or snapshot), and
 * their bytes. */
uint64_t cache_redirect_of(const struct cache* cache, uint64_t tables);
uint64_t cache_slot_of_of(const struct cache* cache, uint64_t tables);
uint64_t cache_next_of(const struct cache* cache, uint64_t tables);
uint64_t cache_redirect_bytes(const struct cache* cache);
uint64_t cache_next_bytes(const struct cache* cache);

/* Information for operations on a part of a layer's cache in one pass: the part's rectangle
 * within the pass's entries, and its addresses. */
struct slices {
    uint32_t entry, entries, head, heads; /* entry: of the pass */
    uint32_t batch_entry;                 /* `entry`, of the batch */
    uint32_t slots;
    uint64_t keys, values;
    uint64_t key_scales, value_scales;
    int32_t stride[2];       /* bytes of keys or values from entry to entry, head to head */
    int32_t scale_stride[2]; /* strides of scales */
    uint64_t views;
    int32_t views_stride[2];
    const struct part* part; /* NULL: the prefill's own cache */
    uint32_t index;          /* Index of the part in its layer. */
};

/* Number of parts of the layer's cache in the pass. */
uint32_t cache_parts(const struct cache* cache, const struct pass* pass, uint32_t layer);

/* Returns part number `index`. */
struct slices cache_slices(const struct cache* cache, const struct pass* pass, uint32_t layer,
                           uint32_t index);

/* The prefill's own cache of a layer, as slices; from vector `start` on. */
struct slices cache_prefill_slices(const struct cache* cache, uint32_t layer, uint32_t start);

/* Bytes of slices and additional data in each half of `memory`; 0: it has none, or is not
 * divided. */
uint64_t cache_half_bytes(const struct cache* cache, const struct levee_memory_info* memory);

/* First element of (layer, entry, head) in a table of the slots of all slices. */
uint64_t cache_slot_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head);

/* The same in a table of [layer][batch][G][slots] of layers that follow the policy. */
uint64_t cache_table_index(const struct cache* cache, uint32_t layer, uint32_t entry,
                           uint32_t head);

/* Whether the layer attends to a window. */
static inline bool cache_has_window(const struct cache* cache, uint32_t layer)
{
    return cache->layers[layer].local || cache->layers[layer].masked;
}

/* The pass as the layer finds it. */
static inline const struct pass* cache_pass(const struct cache* cache, const struct pass* pass,
                                            uint32_t layer)
{
    const bool local =
        pass->local != NULL && layer != LEVEE_NO_LAYER && cache_has_window(cache, layer);
    return local ? pass->local : pass;
}

/* Vectors that a token has of a head: a key and a value, or one that is both. */
static inline uint32_t cache_vectors(const struct cache* cache)
{
    return cache->value_bytes != 0 ? 1 : 2;
}

/* Keys and values of a token in all layers and heads, scales left out. */
uint64_t cache_bytes_per_token(const struct cache* cache);

/* Keys and values of all slots, likewise. */
uint64_t cache_bytes(const struct cache* cache);
