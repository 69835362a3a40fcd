// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of ReRAM crossbars (plain C, shared with firmware).
 *
 * A unit consists of the crossbars that hold one tile of 8-bit elements. A tile has ROWS word lines
 * and COLUMNS bit lines. The slices (and signs) of an element are in separate crossbars. A matrix
 * is in consecutive units, tile by tile, from left to right and then down. A tile of 16-bit
 * elements takes UNITS_16 units. In the component's address range, the bytes of unit u start at u *
 * ROWS * COLUMNS and are ordered word line by word line. For 16-bit elements, one unit has the low
 * bytes and the next one the high bytes. */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "core/abi/model_image.h"

#include <stdint.h>

#define LEVEE_BLOCK_RERAM 72u /* Number of this block in boot_info. */

#define LEVEE_RERAM_ROWS 0x80u         /* RO  word lines of a crossbar */
#define LEVEE_RERAM_COLUMNS 0x84u      /* RO  bit lines of a crossbar */
#define LEVEE_RERAM_UNITS 0x88u        /* RO  number of units */
#define LEVEE_RERAM_UNITS_16 0x8Cu     /* RO  units of a tile of 16-bit elements */
#define LEVEE_RERAM_WRITE_NS 0x90u     /* RO  ns to program a bit line, rounded up */
#define LEVEE_RERAM_VECTOR_NS 0x94u    /* RO  ns of a product with an INT16 vector, rounded up */
#define LEVEE_RERAM_WORST_WRITES 0x98u /* RO  programmings of the most programmed bit line */

enum levee_reram_opcode {
    LEVEE_RERAM_PRODUCT = 1, /* Multiplies vectors by a matrix, or by several matrices one after
                                another. */
    LEVEE_RERAM_WRITE = 2    /* programs columns */
};

/* Which lines inputs drive. */
enum levee_reram_access {
    LEVEE_RERAM_COLUMNS_SENSED = 0, /* Word lines driven, bit lines sensed. */
    LEVEE_RERAM_ROWS_SENSED = 1     /* Bit lines driven, word lines sensed: multiplies by the
                                     * transpose. */
};

/* levee_reram_operation.flags */
/* PRODUCT: a vector enters the next stage as soon as it has left the previous one, so vectors
 * are in several stages at once. Otherwise all vectors finish a stage before the next one
 * starts. */
#define LEVEE_RERAM_PIPELINED 0x1u
#define LEVEE_RERAM_POSTED                                                                         \
    0x2u /* WRITE: ends once the drivers hold the columns; later accesses wait until the           \
          * columns are programmed */
#define LEVEE_RERAM_UNSIGNED 0x4u /* PRODUCT: inputs are unsigned */
#define LEVEE_RERAM_BY_COLUMN                                                                      \
    0x8u /* WRITE: column c + m is read from a + (c + m) * a_stride[2]; no scales */

enum levee_reram_ragged {
    LEVEE_RERAM_RAGGED_NONE = 0,
    LEVEE_RERAM_RAGGED_N = 1,
    LEVEE_RERAM_RAGGED_K = 2
};

/* A matrix that vectors are multiplied by. */
struct levee_reram_stage {
    uint32_t unit;          /* First unit of the stage. */
    uint32_t rows, columns; /* word lines and bit lines of the matrix */
    uint8_t bits;           /* bits of an element: 8 or 16 */
    uint8_t access;         /* enum levee_reram_access */
    uint8_t result_bits;    /* bits of the inputs of the next stage: 8 or 16: results are quantised
                               as by QUANTISE of the function unit, with an FP32 scale per vector;
                               0: sums are not changed. 0 in the last stage */
    uint8_t reserved;
    uint32_t drive, sense; /* First driven line and first sensed line. */
    uint32_t lines;        /* number of sensed lines, which is the next stage's number of inputs, or
                              n for the last stage */
    /* Strides by o0 and o1: units from one matrix to the next; 0: the same matrix. A stride above 0
     * is at least the size of a matrix. The greater stride is at least the span of all matrices in
     * the loop with the smaller stride. */
    uint32_t unit_stride[2];
    uint32_t drive_stride; /* Lines from one o1 to the next. */
    uint32_t sense_stride; /* Lines from one o1 to the next. */
    uint32_t reserved2;
};

/* PRODUCT: y is A[o0][o1][m1][m0][k] multiplied by the stages' matrices. Then
 * out[o0][o1][m1][m0][n] = float(y) * a_scale[o0][o1][m1][m0] * b_scale[o0][o1][n] * alpha +
 * bias[..][n], in this order of single-precision operations. A factor whose address is 0 is
 * omitted; alpha is omitted if it is 1.0f. If results are quantised between stages, the scale of
 * the last quantisation replaces a_scale. With out_type LEVEE_TYPE_NONE, out is y as 64-bit
 * integers.
 *
 * bias has the layout of b_scale. A is INT8 or INT16. From a stream port, A is FP32; each vector is
 * then quantised to a_type with its own scale, as by QUANTISE. out may be a stream port: FP32 rows
 * of n, with 0 beyond a ragged length. N or K may be ragged as in the systolic array
 * (ip/rsa/regs.h). Inputs are driven bit by bit in sign and magnitude, so the most negative number
 * is not allowed.
 *
 * WRITE: column c + m of matrix (o0, o1) of the only stage, from its line `drive` on, becomes
 * A[o0][o1][m] with k elements, for m < m1. c is the word at lengths + o0 * lengths_stride[0] + o1
 * * lengths_stride[1], or `sense` if lengths is 0. a_type has at most as many bits as the stage. If
 * `out` is not 0, the vector's a_scale is copied to out + o0 * out_stride[0] + o1 * out_stride[1] +
 * (c + m) * out_stride[2]. Only the strides by o0, o1 and m1 of a and a_scale are used.
 *
 * Strides are in bytes; k of A and n of out are contiguous. */
struct levee_reram_operation {
    uint64_t a;
    uint64_t a_scale;
    uint64_t b_scale;
    uint64_t bias;
    uint64_t out;
    uint64_t lengths;
    uint64_t stages;           /* address of struct levee_reram_stage[stage_count] */
    int32_t a_stride[4];       /* strides of o0, o1, m1, m0 */
    int32_t a_scale_stride[4]; /* strides of o0, o1, m1, m0 */
    int32_t out_stride[4];     /* strides of o0, o1, m1, m0 */
    int32_t b_scale_stride[3]; /* strides of o0, o1, n */
    int32_t lengths_stride[2]; /* strides of o0, o1 */
    uint16_t outer[2];         /* iterations of the outer loops o0 and o1, at least 1 */
    uint16_t m1, m0;           /* at least 1; WRITE: m0 is 1 */
    uint32_t k, n;             /* at least 1; WRITE: n is 0 */
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

/* Record of a matrix [rows][columns] that the component stores. Word lines correspond to
 * columns, which are the inputs. */
struct levee_reram_kept {
    struct levee_kept_head head;
    uint32_t unit, units;   /* first unit, and number of units */
    uint32_t rows, columns; /* numbers of outputs and inputs */
};

#ifdef __cplusplus
static_assert(sizeof(levee_reram_operation) <= 176, "must fit the descriptor");
static_assert(sizeof(levee_reram_stage) == 48, "table");
#else
_Static_assert(sizeof(struct levee_reram_operation) <= 176, "must fit the descriptor");
#endif
