// SPDX-License-Identifier: Apache-2.0
/* Cores of compute-in-memory macros, each with a decoder layer's weights (Titanus): registers and
 * descriptor (plain C, shared with firmware).
 *
 * The queue's registers are those of every block (core/abi/command_regs.h). Core i keeps the
 * matrices of layer i. */
#pragma once

#include <stdint.h>

#define LEVEE_BLOCK_CIM 73u /* number of this block in boot_info */

#define LEVEE_CIM_CORES 0x80u       /* RO  */
#define LEVEE_CIM_INPUT_BYTES 0x84u /* RO  bytes of an element that a macro takes: 1 or 2 */
#define LEVEE_CIM_CHAINED 0x88u     /* RO  1: tokens of a prompt stream from core to core */
#define LEVEE_CIM_ROTATES 0x8Cu     /* RO  1: cores rotate queries and keys to their position */
#define LEVEE_CIM_PACKS                                                                            \
    0x90u /* RO  1: cores compress keys and values themselves; not in runs                         \
                 without data */
#define LEVEE_CIM_WHOLE_PROMPTS                                                                    \
    0x94u /* RO  1: times come from a sample, which takes a whole prompt at once: no chunks */
#define LEVEE_CIM_SCALE_BYTES 0x98u /* RO  bytes of a core's scale-zero buffer, the low 32 bits */
#define LEVEE_CIM_SCALE_BYTES_HI 0x9Cu

enum levee_cim_opcode {
    LEVEE_CIM_LAYER = 1,   /* tokens through decoder layers, one after the other */
    LEVEE_CIM_LINEAR = 2,  /* vectors times one matrix */
    LEVEE_CIM_COMPRESS = 3 /* compresses a prompt's keys and values, and opens their levels */
};

/* Matrices of a layer, in the order of their numbers: 4 x layer + this. */
enum levee_cim_matrix {
    LEVEE_CIM_QKV = 0, /* Q, K and V as one */
    LEVEE_CIM_OUTPUT = 1,
    LEVEE_CIM_EXPAND = 2, /* gate and up as one where there is a gate */
    LEVEE_CIM_CONTRACT = 3,
    LEVEE_CIM_MATRICES = 4
};

/* The model image's record of a matrix that is kept (core/abi/model_image.h). */
struct levee_cim_kept {
    uint32_t kind, layer; /* struct levee_kept_head */
    uint32_t number;      /* 4 x layer + enum levee_cim_matrix */
    uint32_t rows, columns;
    uint32_t row_bytes;
};

/* The parameters of a layer outside its matrices, all FP32. A core reads them with the first
 * operation that names them, and keeps them. For an operation with another model it reads them
 * again and drops its compressed rows. */
struct levee_cim_layer {
    uint64_t norm_gain[2], norm_bias[2]; /* Norms before attention and before the feed-forward
                                          * matrices; bias 0: none. */
    uint64_t scale[LEVEE_CIM_MATRICES];  /* one a row */
    uint64_t bias[LEVEE_CIM_MATRICES];   /* one a row, 0: none */
};

/* The shape of all layers. */
struct levee_cim_model {
    uint64_t layers;     /* struct levee_cim_layer of each */
    uint64_t rope_phase; /* UINT32 [head_dim / 2] as in the model image; 0: nothing is rotated */
    uint32_t layer_count;
    uint32_t dim, hidden;
    uint32_t heads, kv_heads, head_dim;
    uint32_t norm;       /* enum levee_norm */
    uint32_t activation; /* enum levee_activation */
    uint32_t position;   /* enum levee_position */
    float norm_epsilon;
    float score_scale; /* scale of q K^T */
    uint32_t reserved; /* 0 */
};

/* Compressed keys and values: [layer][entry][token]. All heads of a token make one packed row
 * (ip/cpq) of keys, and one of values. The cores keep the rows' scales, zeros and lengths
 * themselves. */
struct levee_cim_packed {
    uint64_t rows[2];       /* keys, values: of layer 0, entry 0 */
    uint64_t layer_step[2]; /* bytes */
    uint64_t entry_step[2];
    uint64_t thresholds;   /* FP32 [layer][2], of pruning */
    uint32_t row_bytes[2]; /* largest size of a row: stride from token to token */
    uint32_t bits[2];      /* bits of a code */
    uint32_t max_levels;
    float tolerance;
    uint64_t records[2]; /* struct levee_cpq_record [layer][entry][token] of each, at the same
                            steps in rows; without traffic */
};

/* LAYER: x, [entries][rows][dim] FP32, through layers `layer` to `layer` + `layers` - 1.
 * lengths[e] is the number of tokens of entry e that are cached at the end; `rows` of them are
 * new, at positions lengths[e] - rows on, in slots of these numbers. Keys and values are INT16
 * [kv_heads][slots] [head_dim] of each entry and layer with an FP32 scale a vector, at these
 * strides; the new ones are written. x and out may be stream ports, where FP32 elements pass in
 * this order. With `packed` they are packed rows there instead: those before are expanded for
 * attention, which takes the new ones as they are; these are then pruned and quantised, by the
 * settings that COMPRESS had. Tables of scales and zeros (LEVEE_CPQ_TABLE_BYTES) of all entries
 * must fit the core's buffer.
 *
 * COMPRESS: the first lengths[e] keys and values of layer `layer`, as vectors at these strides,
 * become packed rows of these numbers; level 0 of each channel covers their survivors. x, out 0;
 * rows 1, layers 1.
 *
 * LINEAR: x, FP32 [rows][inputs of the matrix], each vector quantised as a layer's are, times
 * matrix `matrix` of layer `layer`, to out, FP32 [rows][its outputs]. entries 1, layers 1;
 * lengths and what is of keys and values 0. */
struct levee_cim_operation {
    uint64_t x, out;
    uint64_t model;                                  /* struct levee_cim_model */
    uint64_t lengths;                                /* uint32 [entries] */
    uint64_t keys, values, key_scales, value_scales; /* addresses of the first layer */
    uint64_t kv_layer, scale_layer; /* bytes from layer to layer, of keys and values, of scales */
    uint64_t kv_entry, scale_entry; /* Strides from entry to entry. */
    uint64_t kv_head, scale_head;   /* Strides from head to head. */
    uint32_t entries, rows;
    uint32_t layer, layers;
    uint32_t matrix;       /* LINEAR: enum levee_cim_matrix; LAYER: 0 */
    uint32_t final_tokens; /* LAYER: final length of the sequence, for readings of a sample; 0:
                            * unknown */
    uint64_t packed;       /* struct levee_cim_packed; 0: keys and values are vectors */
    uint32_t first_entry;  /* number of the batch's first entry among the entries that cores keep */
    uint32_t reserved;     /* 0 */
};

#ifdef __cplusplus
static_assert(sizeof(levee_cim_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_cim_operation) <= 176, "fits the descriptor");
#endif
