// SPDX-License-Identifier: Apache-2.0
/* From an operation to the descriptor of the unit that does it: addresses, strides and loop nests.
 * One function an operation, all for the table in machine.c; each fills in the opcode and the
 * operation of a descriptor in which they are all 0.
 *
 * Weights are INT8, INT4 or INT3 with an FP32 scale a row or a group of one; activations between
 * products are INT16 with an FP32 scale a vector, keys and values INT16, INT8 or INT4 with one, all
 * others FP32. A value vector's scale is multiplied into its probability before that is
 * quantised. */
#pragma once

#include "core/abi/descriptor.h"
#include "firmware/cache/kelle/inputs.h"
#include "firmware/cache/operations.h"
#include "firmware/cache/pass.h"
#include "firmware/target/placement.h"
#include "firmware/target/systolic/rings.h"
#include "firmware/target/systolic/tiles.h"
#include "firmware/target/target.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"

#define FP32_BYTES 4
#define INT16_BYTES 2
#define WORD_BYTES 4

/* Structures that the descriptors of one part of a layer's cache refer to. */
struct systolic_part {
    struct levee_rsa_redirect redirect[2]; /* of keys, of values */
    struct levee_se_formats formats;
};

struct systolic_layer {
    struct systolic_part* parts;      /* of the layer's; NULL: nothing is redirected or stored */
    struct levee_se_formats* formats; /* POPULAR's, of one entry */
};

/* What lowering keeps of the machine. */
struct systolic {
    struct rings rings;
    struct tiling tiling;
    bool rows_add; /* rows.h */
    struct systolic_layer* layers;
    float score_scale; /* 1 / sqrt(head_dim), single precision */
    uint32_t array_columns;
};

/* Sets the layers' structures aside. */
void lower_open_layers(struct systolic* machine, bool staged, const struct cache* cache);

static inline const struct systolic* lower_machine(const struct lowering* lowering)
{
    return lowering->machine;
}

/* Which slices of the layer's cache the operation is done on. */
static inline struct slices lower_slices(const struct lowering* lowering, const struct pass* pass,
                                         const struct operation* operation)
{
    return cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
}

/* The slots arriving tokens take: a word for each (entry, head) of the slices. */
struct slot_words {
    uint64_t address;
    uint16_t stride[2]; /* entry, head; bytes */
};
struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices);

/* What attention reads: how many of each entry's cached tokens, and at most. */
struct attended {
    uint64_t lengths; /* a word for each entry of the pass */
    uint32_t longest;
};
static inline struct attended lower_attended(const struct pass* pass)
{
    return pass->shape.form.listed ? (struct attended){pass->listed, pass->longest_listed}
                                   : (struct attended){pass->lengths, pass->longest};
}

/* Listed slots' scales: of a part of the batch, where they lie one after another. */
static inline uint64_t lower_listed(const struct lowering* lowering, const struct slices* slices,
                                    uint64_t table, int32_t stride[2])
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t heads = lowering->model->header.kv_heads;
    stride[1] = (int32_t)(WORD_BYTES * cache->listing.width);
    stride[0] = (int32_t)heads * stride[1];
    return table + (uint64_t)(slices->batch_entry * heads + slices->head) * (uint32_t)stride[1];
}

/* Behind the arriving tokens' rows of a value, those of recomputed ones: how many of each entry. */
static inline uint32_t lower_recomputed(const struct pass* pass, uint32_t layer)
{
    return pass->shape.form.recomputes ? pass->recomputed[layer] : 0;
}

/* STAGED_KEYS or STAGED_VALUES: vectors of a head, the arriving token's last. */
static inline uint32_t lower_staged_rows(const struct lowering* lowering)
{
    return lowering->policy->computed_rows + 1;
}

/* Values as these operations read and write them, and a machine's .by_part of those that are of
 * each part of a cache (formats.c). What a machine takes in fewer bits has room for these. */
extern const struct value_format lower_formats[CACHE_VALUES];
bool lower_by_part(const struct pass* pass);

/* Keys and values as array and function unit take them. Machines whose other units take those of 16
 * bits only have the first. */
#define LOWER_KV_FORMS 3u
extern const struct kv_form lower_kv_forms[LOWER_KV_FORMS];

/* Bytes of a key or a value. */
static inline uint32_t lower_vector_bytes(const struct lowering* lowering)
{
    return lowering->placement->cache.vector_bytes;
}

/* Says that B of a product is keys or values: their type, and the ring for them. */
void lower_kv_operand(const struct lowering* lowering, struct levee_rsa_operation* out);

/* Products, on the array (lower_array.c). */
/* Rows of a product with weights. */
uint16_t lower_linear_rows(const struct pass* pass, const struct operation* operation);

lower_operation lower_linear, lower_scores, lower_mix, lower_read_inputs;
lower_operation patch_linear_rows, patch_redirect, patch_read_inputs;
extern const struct split split_columns, split_heads;

/* Vectors of tokens, on the function unit (lower_tokens.c). */
lower_operation lower_embed, lower_norm, lower_quantise, lower_add, lower_activate, lower_pick;
lower_operation patch_embed, patch_pick;

/* Vectors of heads, likewise (lower_heads.c). */
lower_operation lower_query, lower_store, lower_recompute, lower_softmax;
lower_operation patch_recompute, patch_softmax;

/* Importance and tables, on the evictor (lower_evictor.c). */
lower_operation lower_evict, lower_accumulate, lower_select, lower_popular, lower_invalidate;
lower_operation patch_scores_length;

/* Votes, on the voting engine (lower_vote.c and target/voting.h). */
lower_operation lower_vote, patch_vote;

/* Proxies and lists of slots, by an associative memory, and the listed slots' scales, by the DMA
 * engine (lower_retrieval.c and target/retrieval.h). */
lower_operation lower_write_proxies, lower_search, lower_list_scales;
lower_operation patch_search, patch_list_scales;

/* Copies and fills by the DMA engine: slot tables and staged vectors (lower_tables.c), what is kept
 * of a prefill (lower_gather.c), stored inputs (lower_inputs.c), what stands for work that a
 * sampled run leaves out (lower_sampled.c), rings (rings.c). */
lower_operation lower_snapshot, lower_stage_slots, lower_skip_stored, lower_redirect,
    lower_undirect, lower_write_back, lower_reset_tables, lower_reset_next, lower_reset_redirect,
    lower_reset_importance;
lower_operation lower_gather_vectors, lower_gather_scales;
lower_operation lower_store_input, lower_fetch_inputs, lower_gather_inputs, lower_reset_holders,
    lower_reset_inputs, lower_reset_input_scales;
lower_operation patch_fetch_inputs;
lower_operation lower_fill_vectors, lower_fill_views;
