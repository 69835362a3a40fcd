// SPDX-License-Identifier: Apache-2.0
/* The model image as operations need it: shapes, and where each matrix and vector lies in the
 * accelerators' address space (core/abi/model_image.h is the format). */
#pragma once

#include "core/abi/model_image.h"

#include <stdbool.h>
#include <stdint.h>

struct matrix {
    uint64_t data, scale, bias; /* scale and bias: FP32 per row, 0 = none */
    uint64_t kept; /* data is 0: what the component that keeps it says (struct levee_kept_head) */
    uint32_t rows, cols, row_bytes;
    uint32_t group;     /* columns that share a scale, a power of 2; 0: all of a row */
    uint32_t type;      /* enum levee_type */
    uint32_t experts;   /* so many matrices of these rows, one after another; 0: one */
    bool columns_first; /* stored [cols][rows], row_bytes from one column to the next */
};

struct norm {
    uint64_t gain, bias; /* bias 0: none; gain 0: there is no norm */
};

/* What a model has beside the plain transformer; not every machine does all of it. In the order of
 * their names in model.c. */
enum model_property {
    MODEL_NORMS_AFTER = 1,    /* norms of what is added to X */
    MODEL_HEAD_NORMS = 2,     /* norms of queries and keys, head by head */
    MODEL_ALL_HEAD_NORMS = 4, /* the same of all heads together */
    MODEL_PARALLEL = 8,       /* both halves of a layer read one norm */
    MODEL_SCORE_CAP = 16,
    MODEL_LOGIT_CAP = 32,
    MODEL_PARTLY_ROTATED = 64,   /* some elements of a head, or some layers */
    MODEL_EXPERTS = 256,         /* several feed-forward networks a layer */
    MODEL_OTHER_ACTIVATION = 128 /* than SILU_GLU, RELU and GELU */
};
#define MODEL_PROPERTIES 9u
#define MODEL_ALL_PROPERTIES ((1u << MODEL_PROPERTIES) - 1)

struct layer {
    struct norm attention_norm, ffn_norm;   /* ffn_norm.gain 0 and parallel: attention's */
    struct norm attention_after, ffn_after; /* of what each adds to X */
    struct norm query_norm, key_norm;       /* by head, or of all (enum model_property) */
    uint64_t rope_phase;                    /* 0: nothing is rotated */
    struct matrix qkv;                      /* WQ, WK, WV as one */
    struct matrix query, key, value;        /* and each */
    struct matrix output;
    struct matrix up; /* W_GATE, W_UP as one; W_UP alone where there is no gate */
    struct matrix down;
    struct matrix router; /* of a mixture of experts, whose `up` and `down` are several */
};

struct model {
    struct levee_model_header header;
    uint64_t address; /* of the image */
    struct matrix embedding;
    struct matrix classifier;
    struct norm final_norm;
    uint64_t position_table; /* learned positions, else 0 */
    uint32_t position_row_bytes;
    uint32_t rotated;    /* elements of a head that are, in layers that rotate */
    uint32_t properties; /* enum model_property */
    struct layer* layers;
};

/* Reads header and tensor table of the image at `address`. Ends the run, saying what was expected,
 * if it is no image, lacks a tensor, or has a shape or type the blocks do not take. */
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

/* Vectors that a token's feed-forward network works on: one for each expert that it goes through.
 */
static inline uint32_t model_branches(const struct model* model)
{
    return model->header.structure.experts != 0 ? model->header.structure.chosen : 1;
}

/* The group as a power of 2, 0 for none: as descriptors say it. */
static inline uint32_t matrix_group_log2(const struct matrix* matrix)
{
    return matrix->group == 0 ? 0 : (uint32_t)__builtin_ctz(matrix->group);
}

/* The name of the first of some properties, for messages. */
const char* model_property_name(uint32_t properties);

/* Name of an enum levee_type, for messages; "unknown" of what is none. */
const char* model_type_name(uint32_t type);

/* Ends the run unless the matrix (`what` in the message) is codes with scales by rows or groups of
 * them, row by row: what the array takes. */
void model_need_codes(const struct matrix* matrix, const char* what);

/* Ends the run if the matrix (`what` in the message) is stored columns first: for units that take
 * rows. */
void model_need_rows(const struct matrix* matrix, const char* what);

/* Reports model.weight_bytes, the elements of all matrices, and of these
 * model.step_weight_bytes, which a decode step reads: all but the embedding. Scales are left out.
 */
void model_report(const struct model* model);
