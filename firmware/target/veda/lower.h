// SPDX-License-Identifier: Apache-2.0
/* From operations to descriptors of the PE arrays, the element-serial unit and the function
 * unit.
 *
 * Each vector of X has statistics, which its writer computes; NORMED is X after a norm. Scores
 * have statistics, too; PROBABILITIES are the scores after the softmax, in the same place. For
 * one vector NORMED and PROBABILITIES are not stored: the element-serial unit normalises on the
 * way to the arrays. Scores, and the results of products that are added to X, pass that unit on
 * the way from the arrays. NORM, SOFTMAX and ADD are therefore left out or shorter, and derived
 * values are ordered together with their sources. */
#pragma once

#include "firmware/target/lower.h"
#include "ip/element_serial/regs.h"
#include "ip/veda/regs.h"

#define STATISTICS_BYTES ((int32_t)sizeof(struct levee_es_statistics))

/* Stream ports, in the order of the scenario. */
enum veda_port {
    VEDA_PORT_RESULTS = 0,    /* From the arrays to the element-serial unit, or for a bias. */
    VEDA_PORT_NORMALISED = 1, /* Back to the arrays; sums with their bias to the element-serial
                               * unit. */
    VEDA_PORT_PASSED_ON = 2,  /* probabilities, to who counts them */
    VEDA_PORTS                /* ports of a group; those of the next one follow */
};

extern const struct unit_class class_veda, class_serial;
extern const struct machine_part part_veda_weights, part_veda_attention, part_serial_functions;

/* State of lowering for the parts. */
struct veda_machine {
    uint32_t arrays, lanes; /* lanes: of one array */
    bool serial;            /* there is an element-serial unit; without: whole.c */
    bool serial_functions;  /* It computes norms and sums, too. */
    uint32_t groups;        /* units of each class that work side by side */
    struct levee_es_statistics*
        unused;       /* statistics of `vectors` for each group, which nobody reads */
    uint32_t vectors; /* most of a pass */
};

extern struct veda_machine veda;

/* The first group's stream on a port. */
static inline uint64_t veda_stream(const struct lowering* lowering, enum veda_port port)
{
    return LEVEE_STREAM(lowering->machine->first_port + port);
}

/* Vectors that an operation is done to. 0 while a program is measured: it is of any pass. */
static inline uint32_t veda_vectors(const struct pass* pass, const struct operation* operation)
{
    return pass->shape.entries *
           (operation->on_logit_rows ? pass->shape.logit_rows : pass->shape.rows);
}

/* Bytes from entry to entry, head to head and row to row of [entries][H][rows] vectors, `bytes`
 * each. */
static inline void veda_head_strides(const struct lowering* lowering, const struct pass* pass,
                                     int32_t bytes, int32_t stride[3])
{
    stride[2] = bytes;
    stride[1] = (int32_t)pass->shape.rows * bytes;
    stride[0] = (int32_t)lowering->model->header.heads * stride[1];
}

/* The offset of the slices' query heads in a value with these strides. */
static inline uint64_t veda_offset(const struct lowering* lowering, const struct slices* slices,
                                   const int32_t stride[3])
{
    const struct levee_model_header* shape = &lowering->model->header;
    return (uint64_t)slices->entry * (uint32_t)stride[0] +
           (uint64_t)(slices->head * (shape->heads / shape->kv_heads)) * (uint32_t)stride[1];
}

/* Products, on the arrays (products.c), their operands and results with the element-serial unit
 * (functions.c). */
extern const struct partners veda_norm, veda_linear, veda_scores, veda_softmax, veda_mix;
lower_operation veda_product, veda_score_products, veda_mix_products;
lower_operation veda_patch_scores, veda_patch_mix;

/* The number of pieces into which these are divided over groups (groups.c). */
uint32_t veda_column_pieces(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation);
uint32_t veda_head_pieces(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation);
narrow_descriptor veda_narrow_normalised, veda_narrow_product, veda_narrow_added,
    veda_narrow_biased, veda_narrow_attention, veda_narrow_softmax;

/* Whether NORM (SOFTMAX) has any work: not if its results are computed on the way to the arrays.
 * Whether ADD has any work: only if no element-serial unit adds. */
bool veda_norm_is_needed(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, uint32_t part);
bool veda_softmax_is_needed(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation, uint32_t part);

bool veda_add_is_needed(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, uint32_t part);

/* Whether one vector passes from the element-serial unit to the arrays while it is normalised. */
bool veda_normalises(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation);

/* Adds a bias to a product's results on their way to the element-serial unit or to memory (bias.c).
 */
lower_operation veda_bias;

/* Whether a product's sums pass the function unit, which adds a bias; and whether they then (or
 * directly) pass the element-serial unit, which adds them to X. */
bool veda_is_biased(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation);
bool veda_is_added(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation);

/* Softmax on a function unit that takes whole vectors (whole.c). */
lower_operation veda_whole_softmax, veda_patch_whole_softmax;
