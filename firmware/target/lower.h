// SPDX-License-Identifier: Apache-2.0
/* Lowering: converts an operation to a descriptor of its unit, with addresses, strides and loop
 * nests. Each operation has a function, which a part's rows list. The function gets a zeroed
 * descriptor, and fills in the opcode and the operation. This header has the functions that several
 * parts use. */
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

/* Returns the format of a value's elements. It states whether they are codes with one scale per
 * vector. */
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

/* Returns the slices of the layer's cache on which the operation works. */
static inline struct slices lower_slices(const struct lowering* lowering, const struct pass* pass,
                                         const struct operation* operation)
{
    return cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
}

/* Addresses of words with the slots of arriving tokens: one word for each (entry, head) of the
 * slices. */
struct slot_words {
    uint64_t address;
    uint16_t stride[2]; /* bytes from entry to entry, and from head to head */
};
struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices);

/* The number of cached tokens that attention reads, for each entry, and the greatest of these
 * numbers. */
struct attended {
    uint64_t lengths; /* one word for each entry of the pass */
    uint32_t longest;
};
static inline struct attended lower_attended(const struct pass* pass)
{
    return pass->shape.form.listed ? (struct attended){pass->listed, pass->longest_listed}
                                   : (struct attended){pass->lengths, pass->longest};
}

/* Returns the address of the scales of listed slots. The scales of the cache's parts follow one
 * another in the order of the batch. */
static inline uint64_t lower_listed(const struct lowering* lowering, const struct slices* slices,
                                    uint64_t table, int32_t stride[2])
{
    const struct cache* cache = &lowering->placement->cache;
    const uint32_t heads = lowering->model->header.kv_heads;
    stride[1] = (int32_t)(WORD_BYTES * cache->listing.width);
    stride[0] = (int32_t)heads * stride[1];
    return table + (uint64_t)(slices->batch_entry * heads + slices->head) * (uint32_t)stride[1];
}

/* Returns the number of recomputed rows per entry. In a value, these rows follow the arriving
 * tokens' rows. */
static inline uint32_t lower_recomputed(const struct pass* pass, uint32_t layer)
{
    return pass->shape.form.recomputes ? pass->recomputed[layer] : 0;
}

/* Returns the number of vectors per head in STAGED_KEYS or STAGED_VALUES. The arriving token's
 * vector is the last of them. */
static inline uint32_t lower_staged_rows(const struct lowering* lowering)
{
    return lowering->policy->computed_rows + 1;
}

/* For the field .by_part of a row. Returns whether an operation runs separately on each part of a
 * layer's cache. */
bool lower_by_part(const struct pass* pass);

/* Returns the bytes of a key, which is also the size of a value. */
static inline uint32_t lower_vector_bytes(const struct lowering* lowering)
{
    return lowering->placement->cache.vector_bytes;
}

/* Declares keys or values as operand B of a product: sets their type and their ring. */
void lower_kv_operand(const struct lowering* lowering, struct levee_rsa_operation* out);

/* Returns the number of rows of a product with weights. */
uint16_t lower_linear_rows(const struct pass* pass, const struct operation* operation);

/* Products, executed by the array (systolic/products.c). */
lower_operation lower_linear, lower_scores, lower_mix, lower_read_inputs;
lower_operation patch_linear_rows, patch_redirect, patch_read_inputs;
extern const struct split split_columns, split_heads;

/* Operations on vectors of tokens, executed by the function unit (functions/tokens.c). */
lower_operation lower_embed, lower_norm, lower_quantise, lower_add, lower_activate, lower_pick;
lower_operation lower_route, lower_combine;
lower_operation patch_embed, patch_pick;

/* Returns the address of ROUTE's results. They follow the gates of a shared expert. */
uint64_t lower_choice(const struct lowering* lowering, const struct pass* pass);

/* Binary logarithm of the size of the Hadamard matrix by which the vectors of heads are multiplied;
 * 0: there is none. */
uint8_t lower_hadamard_log2(const struct model* model);

/* Operations on vectors of heads, executed by the function unit (functions/heads.c). */
lower_operation lower_query, lower_store, lower_recompute, lower_softmax;
lower_operation patch_recompute, patch_softmax;

/* Sets the layer's attention sinks for a softmax. The softmax's first vector belongs to this query
 * head. */
void lower_sinks(const struct lowering* lowering, const struct operation* operation,
                 uint32_t first_head, struct levee_sfu_operation* out);

/* Votes, executed by the voting engine (voting/lower.c). */
lower_operation lower_vote;

/* Importance and tables, executed by the evictor (evictor/lower.c). */
lower_operation lower_evict, lower_accumulate, lower_select, lower_popular, lower_invalidate;
lower_operation patch_scores_length;

/* The part for functions of vectors on a function unit. */
extern const struct machine_part part_sfu_functions;

/* Classes of units that the rows of several parts name. */
extern const struct unit_class class_array, class_array_kv, class_functions, class_dma,
    class_evictor;
