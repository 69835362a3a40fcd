// SPDX-License-Identifier: Apache-2.0
/* Lowering of operations to descriptors of the crossbars. */
#pragma once

#include "firmware/drivers/reram.h"
#include "firmware/target/lower.h"

extern const struct unit_class class_crossbars;
extern const struct machine_part part_crossbar_weights, part_crossbar_attention,
    part_crossbar_attention_by_layers, part_crossbar_attention_pipelined;

/* Tables to which the descriptors of one layer and batch entry refer. The units of the next entry
 * follow at a distance of unit_stride. */
struct attention_stages {
    struct levee_reram_stage scores[2], mix[2]; /* products that run one after another */
    struct levee_reram_stage keys, values;      /* matrices that are written; decomposed:
                                                   `values` is X */
};

/* Kinds of products whose matrices, or some of their rows, are in crossbars. */
enum linear_kind {
    LINEAR_QKV,
    LINEAR_QUERY,
    LINEAR_KEY,
    LINEAR_OUTPUT,
    LINEAR_UP,
    LINEAR_DOWN,
    LINEARS
};

struct retransformer_layer {
    const struct levee_reram_kept* qkv;
    struct levee_reram_stage linear[LINEARS];
    struct attention_stages* attention; /* stages, by batch entry */
    float* query_scale; /* decomposed scores: products of the scales of W_Q and W_K, and of the
                         * biases of W_Q and the scales of W_K */
    float* query_bias;  /* NULL: no bias */
};

/* The machine's state for lowering. */
struct retransformer {
    struct retransformer_layer* layers;
    bool in_crossbars;      /* attention runs in crossbars */
    bool decomposed;        /* attention computes P = S X */
    bool scores_decomposed; /* attention also computes R = Q W_K^T */
    bool pipelined;
};

extern struct retransformer crossbars;

/* Products with weights (linear.c). */
extern const struct partners retransformer_linear;
bool retransformer_linear_is_needed(const struct lowering* lowering, const struct pass* pass,
                                    const struct operation* operation, uint32_t part);
/* Converts an array's operation to the crossbars' form, but does not set the matrices. */
struct levee_reram_operation* retransformer_product(const struct levee_descriptor* array,
                                                    const struct levee_reram_stage* stages,
                                                    uint32_t count,
                                                    struct levee_descriptor* descriptor);

/* Rows of attention, for all forms that the crossbars execute (attention.c). */
extern const struct partners retransformer_scores, retransformer_mix, retransformer_store_value;
bool retransformer_key_is_needed(const struct lowering* lowering, const struct pass* pass,
                                 const struct operation* operation, uint32_t part);
lower_operation retransformer_softmax;

/* retransformer_entry_units returns the number of units per batch entry for a layer's attention.
 * retransformer_set_attention writes the stages of a layer's attention for one entry, whose units
 * begin with `unit`; stages reach later entries by their strides. retransformer_set_linear writes
 * the stages of the layer's products with weights (stages.c). */
uint32_t retransformer_entry_units(const struct retransformer* machine,
                                   const struct levee_model_header* shape, uint32_t slots);
void retransformer_set_attention(const struct retransformer* machine,
                                 const struct levee_model_header* shape, uint32_t slots,
                                 uint32_t unit, const struct levee_reram_kept* qkv,
                                 struct attention_stages* stages);
void retransformer_set_linear(const struct retransformer* machine, const struct model* model,
                              uint32_t index, const struct levee_reram_kept* kept,
                              struct retransformer_layer* layer);
