// SPDX-License-Identifier: Apache-2.0
/* Places of keys and values, and of the tables that describe them.
 *
 * The unit is a slice: the keys and values of one layer, batch entry and KV head. It has `slots`
 * key vectors and, separate from them, as many value vectors. Slices fill the memories with the
 * role kv one by one, in the order of the scenario. A layer's slices form at most CACHE_MAX_PARTS
 * rectangles (entries x heads in one memory). In an eDRAM divided into keys and values, a slice has
 * the same offset in both halves. The hooks' additional data follow the slices, for layers that are
 * completely in that memory.
 *
 * Scales and tables are indexed by slot, but stored elsewhere. If a policy selects from a prefill's
 * tokens, these are also stored elsewhere until the selection.
 *
 * Hooks (hooks.h) use this header, which depends on no hook. cache.h makes a cache from sets of
 * hooks. */
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

/* A rectangle of a layer's slices, ordered by entry and then by head, without gaps. */
struct part {
    uint16_t entry, entries, head, heads;
    bool refreshed;        /* Whether the memory needs refresh. */
    uint64_t keys, values; /* elements [entries][heads][slots][D] */
    uint64_t views;        /* bytes [entries][heads][slots] of the memory's register file; 0:
                              none */
};

struct cache_layer {
    struct part parts[CACHE_MAX_PARTS];
    uint32_t part_count;
    bool local;     /* tokens leave in the order of their arrival */
    bool masked;    /* the layer follows the policy, but attends only to its window */
    uint32_t slots; /* Slots of a slice. */
    uint32_t rank;  /* number of preceding layers of the same kind: those that follow the policy,
                       or those that do not */
    uint64_t first_slot; /* index of the layer's first slot, if the slots of all slices are
                            counted layer by layer */
};

/* The prefill's own cache, indexed by position: [layer][G][prefilled] and so on. It serves one
 * entry at a time. If the policy selects tokens from prefills, the cache covers all layers.
 * Otherwise it covers only local layers, and only the last tokens of a long prompt; the session
 * knows the position of the first of these tokens. */
struct prefill_cache {
    uint64_t keys, values, key_scales, value_scales;
    uint64_t importance; /* 16 bits each, [layer][G][prefilled]; votes: [layer][prefilled] */
    uint64_t importance_bytes;
};

/* Results of a search for each KV head: [batch][G][width]. All layers use the same buffer. */
struct listing {
    uint32_t width;                    /* greatest number of listed slots; 0: there is no search */
    uint64_t slots;                    /* words, in ascending order */
    uint64_t key_scales, value_scales; /* FP32; latent attention has one scale for both */
    /* For compressed rows, which are expanded for all heads together. `any` is [batch][slots]
     * words: the slots that at least one head lists, except the arriving token's. `any_count` is
     * [batch] counts. The words of `slots` are then indices into `any`. */
    uint64_t any, any_count;
};

struct cache;
struct cache_hooks;
struct compressed;
struct slices;
struct stored_inputs;

/* Returns the cached rows of a pass's entries. In every layer they form the only part. */
typedef struct slices slices_of_pass(const struct cache* cache, const struct pass* pass);

struct cache {
    const struct model* model;
    const struct policy* policy;
    const struct cache_hooks* hooks[CACHE_MAX_HOOKS];
    uint32_t hook_count;
    struct cache_forms prefill_forms, decode_forms;
    uint32_t batch, input_rows;
    uint32_t slots;        /* Slots of a slice, in layers that follow the policy. */
    struct kv_form form;   /* Form of keys and values. */
    uint32_t vector_bytes; /* Bytes of a key or a value. */
    uint32_t value_bytes;  /* offset of the value at the end of the key; 0: values are separate from
                            * keys */
    uint32_t input_element_bytes; /* Bytes of an element of a stored input. */
    bool scaled;                  /* Whether each vector has an FP32 scale. */
    uint32_t prefilled;           /* number of tokens that fit in the prefill's own cache */
    struct cache_layer* layers;   /* all layers, followed by one element with the totals */
    uint32_t full_layers;         /* Number of layers that follow the policy. */
    slices_of_pass* one_part;     /* Not NULL: used by decode passes instead of `layers`. */
    struct store store;           /* properties of the first memory with the role kv */
    uint32_t refreshed;           /* memories with this role that need refresh: one
                                   * bit for each of boot_info's memories */
    struct prefill_cache prefill;
    struct stored_inputs* inputs;  /* NULL: none are stored (kelle/inputs.h) */
    struct compressed* compressed; /* NULL: rows are not compressed (compressed.h) */
    struct listing listing;        /* results of searches for the nearest tokens (retrieval.c) */

    uint64_t key_scales, value_scales; /* FP32 [layer][batch][G][the layer's slots] */
    /* 16-bit importance of tokens, [layer][batch][G][slots], for layers that follow the policy.
     * With votes it is [layer][batch][slots]. */
    uint64_t importance;
    uint64_t positions; /* 32 bits each, in the shape of `importance` */
    uint64_t gather;    /* [G][slots], of the entry from which SELECT chooses */

    /* `tables` are the slot tables of all layers. `snapshot` is a copy of the running layer's
     * tables from the layer's beginning. The layer reads this copy while the policy changes the
     * tables. With stored inputs, tables have redirect [batch][G][slots], slot_of
     * [batch][G][input_rows] and next [G][batch]; without them, they have only next. `staged_slots`
     * has only next. `redirect` is the redirection table if there are no stored inputs. */
    uint64_t tables, snapshot, staged_slots, redirect;
    uint32_t table_bytes; /* bytes of one layer's tables */

    uint32_t resident_slices;                /* number of slices in the first memory, if it needs
                                              * refresh */
    uint64_t resident_vectors;               /* number of keys in these slices */
    uint64_t half_bytes[LEVEE_MAX_MEMORIES]; /* Bytes of each half of a divided memory. */
};

/* Reserves space for a hook's tables, in the memory for tables or in the spill memory. */
uint64_t cache_place_state(struct space* space, uint64_t bytes, const char* what);
uint64_t cache_place_spill(struct space* space, uint64_t bytes, const char* what);

/* Addresses and sizes of single tables. They are within the tables of a layer (cache.tables + layer
 * * table_bytes), or within the snapshot. */
uint64_t cache_redirect_of(const struct cache* cache, uint64_t tables);
uint64_t cache_slot_of_of(const struct cache* cache, uint64_t tables);
uint64_t cache_next_of(const struct cache* cache, uint64_t tables);
uint64_t cache_redirect_bytes(const struct cache* cache);
uint64_t cache_next_bytes(const struct cache* cache);

/* A part of a layer's cache as the operations of one pass see it. It has the part's rectangle,
 * counted within the pass's entries, and the part's addresses. */
struct slices {
    uint32_t entry, entries, head, heads; /* `entry` counts within the pass */
    uint32_t batch_entry;                 /* `entry`, counted within the batch */
    uint32_t slots;
    uint64_t keys, values;
    uint64_t key_scales, value_scales;
    int32_t stride[2];       /* bytes of keys or values from entry to entry, and from head to
                                head */
    int32_t scale_stride[2]; /* strides of the scales, in bytes */
    uint64_t views;
    int32_t views_stride[2];
    const struct part* part; /* NULL: the prefill's own cache */
    uint32_t index;          /* Index of the part in its layer. */
};

/* Returns how many parts the layer's cache has in this pass. */
uint32_t cache_parts(const struct cache* cache, const struct pass* pass, uint32_t layer);

/* Returns part number `index`. */
struct slices cache_slices(const struct cache* cache, const struct pass* pass, uint32_t layer,
                           uint32_t index);

/* Returns a layer's part of the prefill's own cache as slices. They begin at vector `start`. */
struct slices cache_prefill_slices(const struct cache* cache, uint32_t layer, uint32_t start);

/* Returns the bytes of slices and additional data in each half of `memory`; 0: the memory has none,
 * or is not divided. */
uint64_t cache_half_bytes(const struct cache* cache, const struct levee_memory_info* memory);

/* Returns the index of the first element of (layer, entry, head) in a table that covers all
 * slots. */
uint64_t cache_slot_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head);

/* Like cache_slot_index(), for a table [layer][batch][G][slots] that has only the layers that
 * follow the policy. */
uint64_t cache_table_index(const struct cache* cache, uint32_t layer, uint32_t entry,
                           uint32_t head);

/* Returns whether the layer attends to a window. */
static inline bool cache_has_window(const struct cache* cache, uint32_t layer)
{
    return cache->layers[layer].local || cache->layers[layer].masked;
}

/* Returns the pass that applies to the layer. */
static inline const struct pass* cache_pass(const struct cache* cache, const struct pass* pass,
                                            uint32_t layer)
{
    const bool local =
        pass->local != NULL && layer != LEVEE_NO_LAYER && cache_has_window(cache, layer);
    return local ? pass->local : pass;
}

/* Returns the number of vectors per token and head: 2 for a key and a value, or 1 if one vector is
 * both. */
static inline uint32_t cache_vectors(const struct cache* cache)
{
    return cache->value_bytes != 0 ? 1 : 2;
}

/* Returns the bytes of a token's keys and values in all layers and heads, without scales. */
uint64_t cache_bytes_per_token(const struct cache* cache);

/* Returns the bytes of the keys and values of all slots, without scales. */
uint64_t cache_bytes(const struct cache* cache);
