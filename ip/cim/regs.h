// SPDX-License-Identifier: Apache-2.0
/* Registers and descriptor of cores of compute-in-memory macros. Each core has the weights of
 * one decoder layer (Titanus; plain C, shared with firmware).
 *
 * The queue registers are those of every block (core/abi/command_regs.h). Core i stores the
 * matrices of layer i. */
#pragma once

#include <stdint.h>

#define LEVEE_BLOCK_CIM 73u /* number of this block in boot_info */

#define LEVEE_CIM_CORES 0x80u       /* RO  */
#define LEVEE_CIM_INPUT_BYTES 0x84u /* RO  bytes of a macro's input element: 1 or 2 */
#define LEVEE_CIM_CHAINED 0x88u     /* RO  1: a prompt's tokens stream from core to core */
#define LEVEE_CIM_ROTATES 0x8Cu     /* RO  1: cores apply rotary position embedding */
#define LEVEE_CIM_PACKS                                                                            \
    0x90u /* RO  1: cores compress keys and values themselves; 0 in timing-only runs */
#define LEVEE_CIM_WHOLE_PROMPTS                                                                    \
    0x94u /* RO  1: times come from a sample, so a prompt cannot be split into chunks */
#define LEVEE_CIM_SCALE_BYTES 0x98u /* RO  bytes of a core's scale-zero buffer, low 32 bits */
#define LEVEE_CIM_SCALE_BYTES_HI 0x9Cu

enum levee_cim_opcode {
    LEVEE_CIM_LAYER = 1,   /* Sends tokens through consecutive decoder layers. */
    LEVEE_CIM_LINEAR = 2,  /* Multiplies vectors by one matrix. */
    LEVEE_CIM_COMPRESS = 3 /* Compresses a prompt's keys and values. */
};

/* Matrices of a layer. A matrix's number is 4 x layer plus this value. */
enum levee_cim_matrix {
    LEVEE_CIM_QKV = 0, /* Q, K and V as one matrix. */
    LEVEE_CIM_OUTPUT = 1,
    LEVEE_CIM_EXPAND = 2, /* First feed-forward matrix; with a gate: gate and up as one matrix. */
    LEVEE_CIM_CONTRACT = 3,
    LEVEE_CIM_MATRICES = 4
};

/* Record, in the model image, of a matrix that the block stores (core/abi/model_image.h). */
struct levee_cim_kept {
    uint32_t kind, layer; /* struct levee_kept_head */
    uint32_t number;      /* 4 x layer + enum levee_cim_matrix */
    uint32_t rows, columns;
    uint32_t row_bytes;
};

/* Parameters of a layer other than its matrices, all FP32. A core reads them at the first
 * operation that uses them, and keeps them. An operation with another model makes it read them
 * again and drop its compressed rows. */
struct levee_cim_layer {
    uint64_t norm_gain[2], norm_bias[2]; /* Norms before attention and before the feed-forward
                                            part; bias 0: none. */
    uint64_t scale[LEVEE_CIM_MATRICES];  /* One factor per row. */
    uint64_t bias[LEVEE_CIM_MATRICES];   /* One per row; 0: none. */
};

/* Shape of all layers. */
struct levee_cim_model {
    uint64_t layers;     /* Address of a struct levee_cim_layer for each layer. */
    uint64_t rope_phase; /* UINT32 [head_dim / 2] as in the model image; 0: no rotary position
                            embedding. */
    uint32_t layer_count;
    uint32_t dim, hidden;
    uint32_t heads, kv_heads, head_dim;
    uint32_t norm;       /* enum levee_norm */
    uint32_t activation; /* enum levee_activation */
    uint32_t position;   /* enum levee_position */
    float norm_epsilon;
    float score_scale; /* Factor for q K^T. */
    uint32_t reserved; /* 0 */
};

/* Compressed keys and values, [layer][entry][token]. A token's keys of all heads make one packed
 * row (ip/cpq), and its values another. The cores store the rows' scales, zeros and lengths
 * themselves. */
struct levee_cim_packed {
    uint64_t rows[2];       /* Keys and values of layer 0, entry 0. */
    uint64_t layer_step[2]; /* bytes */
    uint64_t entry_step[2];
    uint64_t thresholds;   /* Thresholds of pruning, FP32 [layer][2]. */
    uint32_t row_bytes[2]; /* Largest size of a row, which is the stride between tokens. */
    uint32_t bits[2];      /* Bits of a code. */
    uint32_t max_levels;
    float tolerance;
    uint64_t records[2]; /* Addresses of struct levee_cpq_record [layer][entry][token]; strides
                            as for `rows`, counted in rows. Records cause no traffic. */
};

/* LAYER: sends x, [entries][rows][dim] FP32, through layers `layer` to `layer` + `layers` - 1.
 * lengths[e] is the number of tokens of entry e that are cached afterwards. The last `rows` of
 * these tokens are new, at positions (and slots) from lengths[e] - rows on. Keys and values of each
 * entry and layer are INT16 [kv_heads][slots][head_dim], with an FP32 scale per vector, at the
 * strides below. The operation writes the new keys and values. x and out may be stream ports that
 * carry FP32 elements in this order.
 *
 * LAYER with `packed`: keys and values are packed rows. Earlier rows are decompressed for
 * attention; new keys and values are used uncompressed. They are then compressed with the settings
 * of COMPRESS. Tables of scales and zeros (LEVEE_CPQ_TABLE_BYTES) for all entries must fit in the
 * core's buffer.
 *
 * COMPRESS: turns the first lengths[e] keys and values of layer `layer`, which are vectors at the
 * strides below, into packed rows; row i holds token i. Level 0 of each channel covers all values
 * that survive pruning. x and out are 0; rows and layers are 1.
 *
 * LINEAR: multiplies x, FP32 [rows][inputs of the matrix], by matrix `matrix` of layer `layer`.
 * Each vector is quantised as in a layer. The result goes to out, FP32 [rows][outputs of the
 * matrix]. entries and layers are 1; lengths and all fields of keys and values are 0. */
struct levee_cim_operation {
    uint64_t x, out;
    uint64_t model;                                  /* struct levee_cim_model */
    uint64_t lengths;                                /* uint32 [entries] */
    uint64_t keys, values, key_scales, value_scales; /* Addresses for the first layer. */
    uint64_t kv_layer, scale_layer; /* Bytes from layer to layer: keys and values, scales. */
    uint64_t kv_entry, scale_entry; /* Strides from entry to entry. */
    uint64_t kv_head, scale_head;   /* Strides from head to head. */
    uint32_t entries, rows;
    uint32_t layer, layers;
    uint32_t matrix;       /* LINEAR: enum levee_cim_matrix; LAYER: 0 */
    uint32_t final_tokens; /* LAYER: final length of the sequence, which samples need; 0: unknown */
    uint64_t packed;       /* Address of a struct levee_cim_packed; 0: keys and values are
                              vectors. */
    uint32_t first_entry;  /* Number of the first entry among all entries that cores store. */
    uint32_t reserved;     /* 0 */
};

#ifdef __cplusplus
static_assert(sizeof(levee_cim_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_cim_operation) <= 176, "must fit the descriptor");
#endif
