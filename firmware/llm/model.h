// SPDX-License-Identifier: Apache-2.0
/* The model image as operations need it: shapes, and addresses of each matrix and vector in the
 * accelerators' space (core/abi/model_image.h defines the format). */
#pragma once

#include "core/abi/model_image.h"
#include "firmware/machines/properties.h"

#include <stdbool.h>
#include <stdint.h>

struct matrix {
    uint64_t data, scale, bias; /* scale and bias: FP32 per row, 0 = none; as many as experts */
    uint64_t kept; /* data is 0: record of the component that keeps it (struct levee_kept_head) */
    uint32_t rows, cols, row_bytes;
    uint32_t group;     /* columns that share a scale, a power of 2; 0: all of a row */
    uint32_t type;      /* enum levee_type */
    uint32_t experts;   /* Number of matrices with these rows, one after another; 0: one matrix. */
    uint32_t heads;     /* one for the vectors of each head; 0: all heads share one */
    bool columns_first; /* stored [cols][rows], row_bytes from one column to the next */
};

struct norm {
    uint64_t gain, bias; /* bias 0: none; gain 0: there is no norm */
};

/* Latent attention, instead of matrices of keys and values. */
struct latent {
    struct matrix query;    /* Matrix that makes the vector from which queries are computed; no
                             * rows: none. */
    struct norm query_norm; /* Norm of that vector. */
    struct matrix key_up;   /* For each head: maps its query into the space of latent vectors. */
    struct matrix value_up; /* For each head: maps results out of that space. */
    struct norm norm;       /* Norm of latent vectors, without their rotated part. */
};

/* Beside a layer's experts. */
struct mixture {
    struct matrix router;
    struct matrix shared_up, shared_down; /* Matrices of the expert for all tokens; no rows:
                                           * none. */
    struct matrix shared_gate;            /* Matrix with one row; no rows: none. */
    uint64_t choice_bias;                 /* Bias of the router; 0: none. */
};

struct layer {
    struct norm attention_norm, ffn_norm;   /* ffn_norm.gain 0 and parallel: attention's */
    struct norm attention_after, ffn_after; /* Norms of the outputs that attention and the
                                             * network add to X. */
    struct norm query_norm, key_norm;       /* Norms by head, or of all heads (enum
                                             * model_property). */
    uint64_t rope_phase;                    /* 0: nothing is rotated */
    struct matrix qkv;                      /* WQ, WK, WV as one */
    struct matrix query, key, value;        /* Separate matrices of the three. */
    struct matrix output;
    struct matrix up; /* W_GATE and W_UP as one matrix; W_UP alone if there is no gate */
    struct matrix down;
    struct mixture* mixture; /* Experts, whose `up` and `down` are several matrices; NULL: none. */
    struct latent* latent;   /* Latent attention: `key` makes latent vectors, and there is no
                              * `value`; NULL: none. */
    uint64_t sinks;          /* Sinks of attention, FP32 for each head; 0: none. */
    uint32_t flags;          /* enum levee_layer_flag */
};

/* Whether attention covers only the last structure.window tokens. */
static inline bool layer_is_local(const struct layer* layer)
{
    return (layer->flags & LEVEE_LAYER_LOCAL) != 0;
}

struct model {
    struct levee_model_header header;
    uint64_t address; /* Address of the image. */
    struct matrix embedding;
    struct matrix classifier;
    struct norm final_norm;
    uint64_t position_table; /* learned positions, else 0 */
    uint32_t position_row_bytes;
    uint32_t rotated;    /* elements of a head that are, in layers that rotate */
    uint32_t properties; /* enum model_property */
    struct layer* layers;
};

/* Reads header and tensor table of the image at `address`. Ends the run, with the expectation,
 * if it is not an image, lacks a tensor, or has a shape or type that the blocks do not support. */
void model_open(struct model* model, uint64_t address);

/* Scales of a row of a matrix that has any. */
static inline uint32_t matrix_scales(const struct matrix* matrix)
{
    return matrix->group == 0 ? 1 : (matrix->cols + matrix->group - 1) / matrix->group;
}

/* Bytes from one expert's matrix to the next, and of its scales. */
static inline uint64_t matrix_expert_bytes(const struct matrix* matrix)
{
    return (uint64_t)matrix->rows * matrix->row_bytes;
}
static inline uint64_t matrix_expert_scale_bytes(const struct matrix* matrix)
{
    return 4ull * matrix->rows * matrix_scales(matrix);
}

/* Vectors of a token for a feed-forward matrix: one for each chosen expert. */
static inline uint32_t matrix_branches(const struct model* model, const struct matrix* matrix)
{
    return matrix->experts != 0 ? model->header.structure.chosen : 1;
}

/* Elements of a head's raw query; with latent attention the unrotated part is longer. */
static inline uint32_t model_raw_query(const struct model* model)
{
    const struct levee_model_header* header = &model->header;
    return header->structure.kv_latent != 0 ? header->structure.nope_dim + model->rotated
                                            : header->head_dim;
}

/* Elements of a cached value; with latent attention they are the last ones of the key. */
static inline uint32_t model_cached_value(const struct model* model)
{
    const uint32_t latent = model->header.structure.kv_latent;
    return latent != 0 ? latent : model->header.head_dim;
}

/* Elements that a head adds to the input of the output's matrix. */
static inline uint32_t model_head_result(const struct model* model)
{
    const uint32_t latent = model->header.structure.kv_latent;
    return latent != 0 ? model->header.structure.value_dim : model->header.head_dim;
}

/* Elements that an activation makes from the output of a matrix: gate and up, or up alone. */
static inline uint32_t matrix_activated(const struct model* model, const struct matrix* matrix)
{
    return levee_is_gated(model->header.activation) ? matrix->rows / 2 : matrix->rows;
}

/* The group as a power of 2, 0 for none, as in descriptors. */
static inline uint32_t matrix_group_log2(const struct matrix* matrix)
{
    return matrix->group == 0 ? 0 : (uint32_t)__builtin_ctz(matrix->group);
}

/* Name of an enum levee_type for messages; "unknown" for other numbers. */
const char* model_type_name(uint32_t type);

/* Ends the run unless the matrix (`what` in the message) is stored row by row, as codes with
 * scales for rows or groups, as the array requires. */
void model_need_codes(const struct matrix* matrix, const char* what);

/* Ends the run if the matrix (`what` in the message) is stored columns first, for units that
 * need rows. */
void model_need_rows(const struct matrix* matrix, const char* what);

/* Reports model.weight_bytes, the elements of all matrices, and model.step_weight_bytes, those
 * that a decode step reads: all except the embedding. Scales are left out. */
void model_report(const struct model* model);
