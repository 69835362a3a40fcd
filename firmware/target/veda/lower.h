// SPDX-License-Identifier: Apache-2.0
/* Converts operations to descriptors of the PE arrays, the element-serial unit and the function
 * unit.
 *
 * Each vector of X has statistics, which its writer computes; NORMED is X after a norm. Scores
 * also have statistics; PROBABILITIES are the scores after the softmax, in the same place. For a
 * single vector, NORMED and PROBABILITIES are not stored: the element-serial unit normalises on
 * the way to the arrays. Scores, and the results of products that are added to X, pass that unit
 * on their way from the arrays. NORM, SOFTMAX and ADD therefore have little or no work, and
 * derived values are ordered together with their sources. */
#pragma once

#include "firmware/target/lower.h"
#include "ip/element_serial/regs.h"
#include "ip/veda/regs.h"

#define STATISTICS_BYTES ((int32_t)sizeof(struct levee_es_statistics))

/* Stream ports, in the order of the scenario. */
enum veda_port {
    VEDA_PORT_RESULTS = 0,    /* from the arrays to the element-serial unit, or to the unit that
                                 adds a bias */
    VEDA_PORT_NORMALISED = 1, /* back to the arrays; or sums with their bias to the
                               * element-serial unit */
    VEDA_PORT_PASSED_ON = 2,  /* probabilities, to the unit that counts them */
    VEDA_PORTS                /* number of ports per group; the next group's ports follow */
};

extern const struct unit_class class_veda, class_serial;
extern const struct machine_part part_veda_weights, part_veda_attention, part_serial_functions;

/* State of lowering for these parts. */
struct veda_machine {
    uint32_t arrays, lanes; /* number of arrays, and of lanes in one array */
    bool serial;            /* there is an element-serial unit; without it: whole.c */
    bool serial_functions;  /* the element-serial unit also computes norms and sums */
    uint32_t groups;        /* number of units of each class that work in parallel */
    struct levee_es_statistics*
        unused;       /* statistics of `vectors` for each group, which are never read */
    uint32_t vectors; /* greatest number of vectors in a pass */
};

extern struct veda_machine veda;

/* Returns the address of the first group's stream on a port. */
static inline uint64_t veda_stream(const struct lowering* lowering, enum veda_port port)
{
    return LEVEE_STREAM(lowering->machine->first_port + port);
}

/* Returns the number of vectors of an operation. It is 0 while the size of a program is measured,
 * since the program must suit any pass. */
static inline uint32_t veda_vectors(const struct pass* pass, const struct operation* operation)
{
    return pass->shape.entries *
           (operation->on_logit_rows ? pass->shape.logit_rows : pass->shape.rows);
}

/* Sets strides in bytes from entry to entry, head to head and row to row of [entries][H][rows]
 * vectors of `bytes` each. */
static inline void veda_head_strides(const struct lowering* lowering, const struct pass* pass,
                                     int32_t bytes, int32_t stride[3])
{
    stride[2] = bytes;
    stride[1] = (int32_t)pass->shape.rows * bytes;
    stride[0] = (int32_t)lowering->model->header.heads * stride[1];
}

/* Returns the offset of the query heads that belong to the slices, in a value with these
 * strides. */
static inline uint64_t veda_offset(const struct lowering* lowering, const struct slices* slices,
                                   const int32_t stride[3])
{
    const struct levee_model_header* shape = &lowering->model->header;
    return (uint64_t)slices->entry * (uint32_t)stride[0] +
           (uint64_t)(slices->head * (shape->heads / shape->kv_heads)) * (uint32_t)stride[1];
}

/* Products on the arrays (products.c); the element-serial unit handles their operands and
 * results (functions.c). */
extern const struct partners veda_norm, veda_linear, veda_scores, veda_softmax, veda_mix;
lower_operation veda_product, veda_score_products, veda_mix_products;
lower_operation veda_patch_scores, veda_patch_mix;

/* Returns the number of pieces into which column-wise and head-wise operations are divided over
 * groups (groups.c). */
uint32_t veda_column_pieces(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation);
uint32_t veda_head_pieces(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation);
narrow_descriptor veda_narrow_normalised, veda_narrow_product, veda_narrow_added,
    veda_narrow_biased, veda_narrow_attention, veda_narrow_softmax;

/* veda_norm_is_needed returns whether NORM has any work, and veda_softmax_is_needed whether SOFTMAX
 * has. Neither has work if results are computed on the way to the arrays. ADD has work only without
 * an element-serial unit that adds. */
bool veda_norm_is_needed(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, uint32_t part);
bool veda_softmax_is_needed(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation, uint32_t part);

bool veda_add_is_needed(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, uint32_t part);

/* Returns whether a single vector streams from the element-serial unit to the arrays and is
 * normalised on the way. */
bool veda_normalises(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation);

/* Adds a bias to a product's results on their way to the element-serial unit or to memory (bias.c).
 */
lower_operation veda_bias;

/* veda_is_biased returns whether the function unit adds a bias to a product's sums. veda_is_added
 * returns whether the sums, with or without this bias, pass the element-serial unit, which adds
 * them to X. */
bool veda_is_biased(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation);
bool veda_is_added(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation);

/* Softmax on a function unit that processes whole vectors (whole.c). */
lower_operation veda_whole_softmax, veda_patch_whole_softmax;
