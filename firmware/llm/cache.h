// SPDX-License-Identifier: Apache-2.0
/* Where keys and values, and the tables about them, lie.
 *
 * The unit is a slice: the `slots` vectors of one layer, batch entry and KV head, its keys in one
 * place and its values in another. Memories with the role kv are filled in file order, slice by
 * slice; a layer's slices form at most CACHE_MAX_PARTS rectangles (entries x heads in one memory).
 * In an eDRAM divided into keys and values a slice takes the same offset in both halves, and behind
 * the slices lie the layer inputs of the layers that are there in full.
 *
 * Scales and tables are indexed by slot, too, but lie elsewhere, and so do prefilled tokens from
 * which a policy has yet to select.
 */
#pragma once

#include "firmware/drivers/edram.h"
#include "firmware/llm/model.h"
#include "firmware/llm/pass.h"
#include "firmware/llm/policy.h"
#include "firmware/llm/space.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"

#include <stdbool.h>
#include <stdint.h>

#define CACHE_MAX_PARTS 4

/* A rectangle of a layer's slices: entry by entry, head by head, without gaps. */
struct part {
    uint16_t entry, entries, head, heads;
    bool refreshed;        /* in memory that loses what is not refreshed */
    uint64_t keys, values; /* INT16 [entries][heads][slots][D] */
    uint64_t views;        /* bytes [entries][heads][slots] of the eDRAM's register file; 0: none */
    struct levee_rsa_redirect* redirect[2]; /* of keys, of values: filled in by lowering */
    struct levee_se_formats* formats;       /* NULL: every token is stored as keys and values */
};

struct cache_layer {
    struct part parts[CACHE_MAX_PARTS];
    uint32_t part_count;
    uint64_t x;                       /* INT16 [batch][x_rows][dim] */
    struct levee_se_formats* formats; /* POPULAR's, of one entry */
};

/* The prefill's own cache, by position: [layer][G][prefilled] and so on, of one entry at a time. */
struct prefill_cache {
    uint64_t keys, values, key_scales, value_scales;
    uint64_t importance;  /* 16 bit [layer][G][prefilled] */
    uint64_t x, x_scales; /* [layer][prefilled] */
};

struct cache {
    const struct model* model;
    const struct policy* policy;
    uint32_t batch, slots, x_rows;
    uint32_t prefilled; /* tokens the prefill's own cache has room for */
    struct cache_layer* layers;
    struct edram edram; /* the first kv memory's controller */
    struct prefill_cache prefill;

    uint64_t key_scales, value_scales; /* FP32 [layer][batch][G][slots] */
    uint64_t importance;               /* 16 bit, likewise */
    uint64_t positions;                /* 32 bit, likewise */
    uint64_t x_scales;                 /* FP32 [layer][batch][x_rows] */
    uint64_t holders, x_positions;     /* 32 bit, likewise; one behind the other */
    uint64_t gather;                   /* [G][slots]: of the entry being selected from */
    uint64_t x_gather;                 /* [x_rows]: likewise */

    /* What a layer reads while the evictor changes it: of each layer, and as it was when the
     * running one began. With x rows: redirect [batch][G][slots], slot_of [batch][G][x_rows], next
     * [G][batch]; without: next. `keep` has next only; `redirect` serves where there are no x rows.
     */
    uint64_t tables, snapshot, keep, redirect;
    uint32_t table_bytes; /* of one layer */

    uint32_t* current; /* [layer][batch], with x rows */
    uint32_t* used;    /* likewise */

    uint32_t resident_slices; /* in the first kv memory, if that is an eDRAM */
    uint64_t edram_used;      /* bytes of each half of it, if it is divided */
};

/* Places everything. `prefilled`: most tokens of a prefill. `held`: arriving keys and values stay
 * beside the cache until they are used. Ends the run, naming what does not fit. */
void cache_open(struct cache* cache, const struct model* model, const struct policy* policy,
                struct space* space, uint32_t batch, uint32_t prefilled, bool held);

/* Intervals and regions of the eDRAM, if there is one. */
void cache_open_edram(const struct cache* cache);

/* The tables within an address of tables (cache.tables + layer * table_bytes, or snapshot). */
uint64_t cache_redirect_of(const struct cache* cache, uint64_t tables);
uint64_t cache_slot_of_of(const struct cache* cache, uint64_t tables);
uint64_t cache_next_of(const struct cache* cache, uint64_t tables);

/* What operations on a part of a layer's cache need to know, for one pass: the part's rectangle
 * within the pass's entries, and its addresses. */
struct slices {
    uint32_t entry, entries, head, heads; /* entry: of the pass */
    uint32_t batch_entry;                 /* `entry`, of the batch */
    uint32_t slots;
    uint64_t keys, values;
    uint64_t key_scales, value_scales;
    int32_t stride[2];       /* bytes of keys or values from entry to entry, head to head */
    int32_t scale_stride[2]; /* likewise of scales */
    uint64_t views;
    int32_t views_stride[2];
    struct part* part; /* NULL: the prefill's own */
};

/* How many parts the pass finds the layer's cache in. */
uint32_t cache_parts(const struct cache* cache, const struct pass* pass, uint32_t layer);

/* Part `index` of them. */
struct slices cache_slices(const struct cache* cache, const struct pass* pass, uint32_t layer,
                           uint32_t index);

/* First element of (layer, entry, head) in a table of [layer][batch][G][slots]. */
uint64_t cache_slot_index(const struct cache* cache, uint32_t layer, uint32_t entry, uint32_t head);

/* Nothing is stored of any sequence. */
void cache_new_batch(const struct cache* cache);

/* The x rows in use now, the most of any of the entries, at least 1, to rows[layer]. False: in none
 * of the layers is one used. */
bool cache_recalled(const struct cache* cache, uint32_t entries, uint32_t* rows);

/* Keys and values of a token in all layers and heads, scales left out. */
uint64_t cache_bytes_per_token(const struct cache* cache);

/* Tells the platform where slices are and what recomputation there is. Slices are numbered entry
 * by entry and head by head, layer by layer; the first kv.resident_slices lie one after another in
 * the eDRAM, from kv.edram_base_offset on, kv.slice_bytes each, in both halves. */
void cache_report(const struct cache* cache);
