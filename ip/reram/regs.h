// SPDX-License-Identifier: Apache-2.0
/* ReRAM crossbars: registers and operation (plain C, shared with firmware).
 *
 * A unit is the crossbars that hold one tile of 8-bit elements: `rows` word lines by `columns` bit
 * lines, an element's slices (and signs) in as many crossbars. A matrix lies in consecutive units,
 * tile by tile, from left to right and then down; a tile of 16-bit elements takes UNITS_16 of them.
 * In the component's address range unit u has its bytes from u * rows * columns on, word line by
 * word line; of 16-bit elements the low bytes, in the next unit the high ones. */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "core/abi/model_image.h"

#include <stdint.h>

#define LEVEE_BLOCK_RERAM 72u /* number of this block in boot_info */

#define LEVEE_RERAM_ROWS 0x80u         /* RO  word lines of a crossbar */
#define LEVEE_RERAM_COLUMNS 0x84u      /* RO  bit lines */
#define LEVEE_RERAM_UNITS 0x88u        /* RO  */
#define LEVEE_RERAM_UNITS_16 0x8Cu     /* RO  units of a tile of 16-bit elements */
#define LEVEE_RERAM_WRITE_NS 0x90u     /* RO  to program a bit line, rounded up */
#define LEVEE_RERAM_VECTOR_NS 0x94u    /* RO  a product with a vector of INT16, rounded up */
#define LEVEE_RERAM_WORST_WRITES 0x98u /* RO  programmings of the most programmed bit line */

enum levee_reram_opcode {
    LEVEE_RERAM_PRODUCT = 1, /* vectors by a matrix, or by several one after another */
    LEVEE_RERAM_WRITE = 2    /* programs columns */
};

/* Lines that inputs drive. */
enum levee_reram_access {
    LEVEE_RERAM_COLUMNS_SENSED = 0, /* word lines driven, bit lines sensed */
    LEVEE_RERAM_ROWS_SENSED = 1     /* bit lines driven, word lines sensed: the transpose */
};

/* levee_reram_operation.flags */
/* PRODUCT: a vector enters a stage as soon as it has left the previous one, while others are in
 * other stages. Otherwise all vectors finish a stage before any enters the next. */
#define LEVEE_RERAM_PIPELINED 0x1u
#define LEVEE_RERAM_POSTED                                                                         \
    0x2u /* WRITE: ends when the drivers have the columns; the next access to their crossbars      \
          * waits until they are programmed. */
#define LEVEE_RERAM_UNSIGNED 0x4u /* PRODUCT: inputs are unsigned */
#define LEVEE_RERAM_BY_COLUMN                                                                      \
    0x8u /* WRITE: column c + m becomes the vector at a + (c + m) * a_stride[2]: where it lies in  \
            a table of all columns. Without scales */

enum levee_reram_ragged {
    LEVEE_RERAM_RAGGED_NONE = 0,
    LEVEE_RERAM_RAGGED_N = 1,
    LEVEE_RERAM_RAGGED_K = 2
};

/* A matrix that vectors are multiplied by. */
struct levee_reram_stage {
    uint32_t unit;          /* First unit of the stage. */
    uint32_t rows, columns; /* word lines, bit lines that it has */
    uint8_t bits;           /* bits of an element: 8 or 16 */
    uint8_t access;         /* enum levee_reram_access */
    uint8_t result_bits; /* bits of the results for the next stage: 8 or 16, integers with an FP32
                            scale a vector, as QUANTISE of the function unit makes them; 0: sums as
                            they are. The last stage has 0 */
    uint8_t reserved;
    uint32_t drive, sense; /* first lines */
    uint32_t lines;        /* sensed: the next stage's inputs; of the last stage n */
    /* o0, o1: units from one matrix to the next; 0: the same matrix. A stride is at least a
     * matrix's size, and the greater one at least the span of all matrices of the smaller one's
     * loop. */
    uint32_t unit_stride[2];
    uint32_t drive_stride; /* o1: lines */
    uint32_t sense_stride; /* o1 */
    uint32_t reserved2;
};

/* PRODUCT: y = A[o0][o1][m1][m0][k] by the stages' matrices; then
 *   out[o0][o1][m1][m0][n] = float(y) * a_scale[o0][o1][m1][m0] * b_scale[o0][o1][n] * alpha +
 * bias[..][n] in this order of single-precision operations, each factor left out where its
 * address is 0 (alpha: where it is 1.0f); of several stages a_scale is that of the last
 * result_bits before. With out_type LEVEE_TYPE_NONE out is y itself, as 64-bit integers, without
 * any of these. bias has the layout of b_scale. A is INT8 or INT16. At a stream port it is FP32;
 * each vector is then quantised to a_type with its own scale, as by QUANTISE. out may be a
 * stream port: FP32 rows of n, 0 beyond a ragged length. Ragged N or K as the systolic array has
 * them (ip/rsa/regs.h). An input is driven bit by bit by sign and magnitude: its most negative
 * number does not exist.
 *
 * WRITE: column c + m of matrix (o0, o1) of the only stage, from its line `drive` on, becomes
 * A[o0][o1][m] of k elements, m < m1; c is the word at lengths + o0 * lengths_stride[0] + o1 *
 * lengths_stride[1], or `sense` if lengths is 0. a_type has at most the stage's bits. If `out`
 * is not 0, the vector's a_scale is copied to out + o0 * out_stride[0] + o1 * out_stride[1] + (c
 * + m) * out_stride[2]. Of the strides of a and a_scale those of m1 count.
 *
 * Strides are bytes; k of A and n of out are contiguous. */
struct levee_reram_operation {
    uint64_t a;
    uint64_t a_scale;
    uint64_t b_scale;
    uint64_t bias;
    uint64_t out;
    uint64_t lengths;
    uint64_t stages;           /* Address of struct levee_reram_stage[stage_count]. */
    int32_t a_stride[4];       /* o0, o1, m1, m0 */
    int32_t a_scale_stride[4]; /* o0, o1, m1, m0 */
    int32_t out_stride[4];     /* o0, o1, m1, m0 */
    int32_t b_scale_stride[3]; /* o0, o1, n */
    int32_t lengths_stride[2]; /* o0, o1 */
    uint16_t outer[2];         /* o0, o1: at least 1 */
    uint16_t m1, m0;           /* At least 1; WRITE: m0 is 1. */
    uint32_t k, n;             /* At least 1; WRITE: n is 0. */
    uint32_t length_add;
    float alpha;
    uint8_t a_type;      /* enum levee_type */
    uint8_t out_type;    /* LEVEE_TYPE_FP32 or LEVEE_TYPE_NONE; WRITE: NONE */
    uint8_t flags;       /* LEVEE_RERAM_* */
    uint8_t ragged;      /* enum levee_reram_ragged */
    uint8_t stage_count; /* 1 to LEVEE_RERAM_MOST_STAGES; WRITE: 1 */
    uint8_t reserved[3]; /* 0 */
};
#define LEVEE_RERAM_MOST_STAGES 64u

/* Record of a matrix [rows][columns] that the component keeps: its columns, the inputs, are word
 * lines. */
struct levee_reram_kept {
    struct levee_kept_head head;
    uint32_t unit, units;   /* first, and how many */
    uint32_t rows, columns; /* outputs, inputs */
};

#ifdef __cplusplus
static_assert(sizeof(levee_reram_operation) <= 176, "fits the descriptor");
static_assert(sizeof(levee_reram_stage) == 48, "table");
#else
_Static_assert(sizeof(struct levee_reram_operation) <= 176, "fits the descriptor");
#endif
