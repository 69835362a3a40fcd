// SPDX-License-Identifier: Apache-2.0
/* The model image as operations need it: its shapes, and the address of each matrix and vector in
 * the accelerators' space. core/abi/model_image.h defines the image's format. */
#pragma once

#include "core/abi/model_image.h"
#include "firmware/machines/properties.h"

#include <stdbool.h>
#include <stdint.h>

struct matrix {
    uint64_t data, scale, bias; /* scale and bias: FP32 per row, 0: none; for experts, those of
                                 * all matrices */
    uint64_t kept; /* for data == 0: address of the record of the component that stores the
                    * matrix (struct levee_kept_head) */
    uint32_t rows, cols, row_bytes;
    uint32_t group;     /* number of columns that share a scale, a power of 2; 0: the whole row
                           shares one */
    uint32_t type;      /* enum levee_type */
    uint32_t experts;   /* number of matrices with these rows, one after another; 0: one matrix */
    uint32_t heads;     /* number of heads, each with its own matrix; 0: one matrix */
    bool columns_first; /* stored as [cols][rows], with row_bytes from one column to the next */
};

struct norm {
    uint64_t gain, bias; /* bias 0: none; gain 0: there is no norm */
};

/* The matrices of latent attention, which replace those for keys and values. */
struct latent {
    struct matrix query;    /* makes the vector from which queries are computed; no rows: queries
                             * are computed directly */
    struct norm query_norm; /* Norm of that vector. */
    struct matrix key_up;   /* maps each head's query into the space of latent vectors */
    struct matrix value_up; /* maps each head's results out of that space */
    struct norm norm;       /* Norm of latent vectors, without their rotated part. */
};

/* The parts of a mixture of experts, except the experts themselves. */
struct mixture {
    struct matrix router;
    struct matrix shared_up, shared_down; /* matrices of the shared expert; no rows: none */
    struct matrix shared_gate;            /* Matrix with one row; no rows: none. */
    uint64_t choice_bias;                 /* Bias of the router; 0: none. */
};

struct layer {
    struct norm attention_norm, ffn_norm;   /* if ffn_norm.gain of a parallel layer is 0,
                                             * attention_norm serves both halves */
    struct norm attention_after, ffn_after; /* norms of the outputs that attention and the
                                             * network add to X */
    struct norm query_norm, key_norm;       /* norms of each head, or of all heads together (enum
                                             * model_property) */
    uint64_t rope_phase;                    /* 0: nothing is rotated */
    struct matrix qkv;                      /* WQ, WK and WV as one matrix */
    struct matrix query, key, value;        /* WQ, WK and WV as separate matrices */
    struct matrix output;
    struct matrix up; /* W_GATE and W_UP as one matrix, or W_UP alone if there is no gate */
    struct matrix down;
    struct mixture* mixture; /* experts, for which `up` and `down` are several matrices; NULL:
                                none */
    struct latent* latent;   /* latent attention, where `key` makes latent vectors and `value` is
                              * empty; NULL: none */
    uint64_t sinks;          /* attention sinks, FP32 for each head; 0: none */
    uint32_t flags;          /* enum levee_layer_flag */
};

/* Returns whether the layer attends only to the last structure.window tokens. */
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
    uint64_t position_table; /* learned positions; 0: none */
    uint32_t position_row_bytes;
    uint32_t rotated;    /* number of a head's elements that are rotated, in layers that rotate */
    uint32_t properties; /* enum model_property */
    struct layer* layers;
};

/* Reads the header and the tensor table of the image at `address`. Ends the run if there is no
 * image, if it lacks a tensor, or if it has a shape or type that the blocks do not support. The
 * message states what is expected. */
void model_open(struct model* model, uint64_t address);

/* Returns the number of scales in a row of a matrix with scales. */
static inline uint32_t matrix_scales(const struct matrix* matrix)
{
    return matrix->group == 0 ? 1 : (matrix->cols + matrix->group - 1) / matrix->group;
}

/* matrix_expert_bytes returns the distance in bytes from one expert's matrix to the next.
 * matrix_expert_scale_bytes returns the distance from one expert's scales to the next. */
static inline uint64_t matrix_expert_bytes(const struct matrix* matrix)
{
    return (uint64_t)matrix->rows * matrix->row_bytes;
}
static inline uint64_t matrix_expert_scale_bytes(const struct matrix* matrix)
{
    return 4ull * matrix->rows * matrix_scales(matrix);
}

/* Returns the number of vectors per token that a feed-forward matrix multiplies. With experts,
 * there is one for each chosen expert. */
static inline uint32_t matrix_branches(const struct model* model, const struct matrix* matrix)
{
    return matrix->experts != 0 ? model->header.structure.chosen : 1;
}

/* Returns the number of elements of a head's query before the latent matrix is applied. This matrix
 * makes the unrotated part longer. */
static inline uint32_t model_raw_query(const struct model* model)
{
    const struct levee_model_header* header = &model->header;
    return header->structure.kv_latent != 0 ? header->structure.nope_dim + model->rotated
                                            : header->head_dim;
}

/* Returns the number of elements of a cached value. In latent attention the value is the last
 * elements of the key. */
static inline uint32_t model_cached_value(const struct model* model)
{
    const uint32_t latent = model->header.structure.kv_latent;
    return latent != 0 ? latent : model->header.head_dim;
}

/* Returns the number of elements that each head contributes to the input of attention's output
 * matrix. */
static inline uint32_t model_head_result(const struct model* model)
{
    const uint32_t latent = model->header.structure.kv_latent;
    return latent != 0 ? model->header.structure.value_dim : model->header.head_dim;
}

/* Returns the number of elements in the result of an activation. The activated matrix has gate and
 * up, or only up. */
static inline uint32_t matrix_activated(const struct model* model, const struct matrix* matrix)
{
    return levee_is_gated(model->header.activation) ? matrix->rows / 2 : matrix->rows;
}

/* Returns the base-2 logarithm of the group's size, as in descriptors; 0: no groups. */
static inline uint32_t matrix_group_log2(const struct matrix* matrix)
{
    return matrix->group == 0 ? 0 : (uint32_t)__builtin_ctz(matrix->group);
}

/* Returns the name of an enum levee_type for messages; "unknown" for other numbers. */
const char* model_type_name(uint32_t type);

/* Ends the run unless the matrix is stored as the array requires: row by row, as codes with one
 * scale for each row or group. `what` names the matrix in the message. */
void model_need_codes(const struct matrix* matrix, const char* what);

/* Ends the run if the matrix is stored column by column, although the unit needs rows. `what` names
 * the matrix in the message. */
void model_need_rows(const struct matrix* matrix, const char* what);

/* Reports model.weight_bytes, the bytes of all matrices, and model.step_weight_bytes, the bytes
 * that a decode step of one token reads. A step does not read the embedding, nor the experts that
 * are not chosen. Neither number includes scales. */
void model_report(const struct model* model);
