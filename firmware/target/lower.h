// SPDX-License-Identifier: Apache-2.0
/* Conversion of an operation to a descriptor of its unit: addresses, strides and loop nests.
 * There is one function for each operation, listed in a part's rows. It fills in opcode and
 * operation of a descriptor in which they are all 0. This header has the functions that parts
 * share.
 *
 * On the systolic array weights are INT8, INT4 or INT3 with an FP32 scale a row or a group of
 * one; activations between products are INT16 with an FP32 scale a vector, keys and values
 * INT16, INT8 or INT4 with one, all others FP32. A value vector's scale is multiplied into its
 * probability before that is quantised. Elsewhere values have other formats (machine.h,
 * `placing.formats`), which functions of vectors read and write as they are. */
#pragma once

#include "core/abi/descriptor.h"
#include "firmware/cache/kelle/inputs.h"
#include "firmware/cache/operations.h"
#include "firmware/cache/pass.h"
#include "firmware/target/common.h"
#include "firmware/target/machine.h"
#include "firmware/target/placement.h"
#include "ip/rsa/regs.h"
#include "ip/sfu/regs.h"
#include "ip/systolic_evictor/regs.h"

#define FP32_BYTES 4
#define FP16_BYTES 2
#define INT16_BYTES 2
#define WORD_BYTES 4

/* An element of a value, and whether it is a code, with a scale for each vector. */
static inline const struct value_format* lower_format(const struct lowering* lowering,
                                                      unsigned value)
{
    return &lowering->machine->placing.formats[value];
}

static inline int32_t lower_element_bytes(uint8_t type)
{
    static const uint8_t bytes[] = {
        [LEVEE_TYPE_INT8] = 1, [LEVEE_TYPE_INT16] = 2,  [LEVEE_TYPE_FP16] = 2,
        [LEVEE_TYPE_FP32] = 4, [LEVEE_TYPE_UINT32] = 4, [LEVEE_TYPE_INT3] = 0};
    return bytes[type];
}

static inline bool lower_is_code(uint8_t type)
{
    return type == LEVEE_TYPE_INT16 || type == LEVEE_TYPE_INT8 || type == LEVEE_TYPE_INT4;
}

/* Slices of the layer's cache on which the operation works. */
static inline struct slices lower_slices(const struct lowering* lowering, const struct pass* pass,
                                         const struct operation* operation)
{
    return cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
}

/* Slots of arriving tokens: a word for each (entry, head) of the slices. */
struct slot_words {
    uint64_t address;
    uint16_t stride[2]; /* entry, head; bytes */
};
struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices);

/* The cached tokens that attention reads: the number for each entry, and the largest. */
struct attended {
    uint64_t lengths; /* a word for each entry of the pass */
    uint32_t longest;
};
static inline struct attended lower_attended(const struct pass* pass)
{
    return pass->shape.form.listed ? (struct attended){pass->listed, pass->longest_listed}
                                   : (struct attended){pass->lengths, pass->longest};
}

/* The scales of listed slots; for a part of the batch, one after another. */
static inline uint64_t lower_listed(const struct lowering* lowering, const struct slices* slices,
                                    uint64_t table, int32_t stride[2])
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t heads = lowering->model->header.kv_heads;
    stride[1] = (int32_t)(WORD_BYTES * cache->listing.width);
    stride[0] = (int32_t)heads * stride[1];
    return table + (uint64_t)(slices->batch_entry * heads + slices->head) * (uint32_t)stride[1];
}

/* Number of recomputed rows of each entry; they follow the arriving tokens' rows of a value. */
static inline uint32_t lower_recomputed(const struct pass* pass, uint32_t layer)
{
    return pass->shape.form.recomputes ? pass->recomputed[layer] : 0;
}

/* STAGED_KEYS or STAGED_VALUES: vectors of a head, the arriving token's last. */
static inline uint32_t lower_staged_rows(const struct lowering* lowering)
{
    return lowering->policy->computed_rows + 1;
}

/* Whether an operation runs part by part of a layer's cache: a row's .by_part. */
bool lower_by_part(const struct pass* pass);

/* Bytes of a key or a value. */
static inline uint32_t lower_vector_bytes(const struct lowering* lowering)
{
    return lowering->placement->cache.vector_bytes;
}

/* Says that B of a product is keys or values: their type, and the ring for them. */
void lower_kv_operand(const struct lowering* lowering, struct levee_rsa_operation* out);

/* Rows of a product with weights. */
uint16_t lower_linear_rows(const struct pass* pass, const struct operation* operation);

/* Products, on the array (systolic/products.c). */
lower_operation lower_linear, lower_scores, lower_mix, lower_read_inputs;
lower_operation patch_linear_rows, patch_redirect, patch_read_inputs;
extern const struct split split_columns, split_heads;

/* Vectors of tokens, on the function unit (functions/tokens.c). */
lower_operation lower_embed, lower_norm, lower_quantise, lower_add, lower_activate, lower_pick;
lower_operation lower_route, lower_combine;
lower_operation patch_embed, patch_pick;

/* Place of ROUTE's results, after the gates of a shared expert. */
uint64_t lower_choice(const struct lowering* lowering, const struct pass* pass);

/* Vectors of heads, likewise (functions/heads.c). */
lower_operation lower_query, lower_store, lower_recompute, lower_softmax;
lower_operation patch_recompute, patch_softmax;

/* Sets the sinks of the layer for a softmax whose first vector belongs to this query head. */
void lower_sinks(const struct lowering* lowering, const struct operation* operation,
                 uint32_t first_head, struct levee_sfu_operation* out);

/* Votes, on the voting engine (voting/lower.c). */
lower_operation lower_vote;

/* Importance and tables, on the evictor (evictor/lower.c). */
lower_operation lower_evict, lower_accumulate, lower_select, lower_popular, lower_invalidate;
lower_operation patch_scores_length;

/* The part that does functions of vectors on a function unit. */
extern const struct machine_part part_sfu_functions;

/* Classes of units that rows of several parts name. */
extern const struct unit_class class_array, class_array_kv, class_functions, class_dma,
    class_evictor;
