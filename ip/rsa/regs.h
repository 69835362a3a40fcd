// SPDX-License-Identifier: Apache-2.0
/* Reconfigurable systolic array: registers and operation (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_RSA 3u /* number of this block in boot_info */

#define LEVEE_RSA_ROWS 0x80u        /* RO  rows of the array */
#define LEVEE_RSA_COLUMNS 0x84u     /* RO  columns of the array */
#define LEVEE_RSA_PASSES 0x88u      /* RO  passes of a 16-bit operand with an 8-bit one: 1 or 2 */
#define LEVEE_RSA_LOAD_BYTES 0x8Cu  /* RO  bytes of B that the array takes a cycle */
#define LEVEE_RSA_CLOCK_KHZ 0x90u   /* RO  the array's clock */
#define LEVEE_RSA_SHARED_ROWS 0x94u /* RO  rows of sums that share reads of A; 0: none do */
#define LEVEE_RSA_STREAM_ROWS 0x98u /* RO  rows of A that meet a B which comes once, on a port */

/* On-chip rings stage B on its way from another memory: arriving bytes are written to the ring,
 * and the array reads them there. Ring 0 is for B of up to 8 bits (weights). Ring 1 is for B of
 * 16 bits and, with LEVEE_RSA_RING_1, for narrower B (keys, values). A ring of 0 bytes is
 * bypassed, and so is a ring in the memory of B itself. RW; read when an operation starts. */
#define LEVEE_RSA_RING_LO(i) (0xA0u + 0x10u * (i)) /* address */
#define LEVEE_RSA_RING_HI(i) (0xA4u + 0x10u * (i))
#define LEVEE_RSA_RING_BYTES(i) (0xA8u + 0x10u * (i))
/* Distance from the ring's first part to a second one of the same size, or 0. Data are divided
 * evenly between both. */
#define LEVEE_RSA_RING_STRIDE(i) (0xACu + 0x10u * (i))

enum levee_rsa_opcode { LEVEE_RSA_GEMM = 1 };

/* levee_rsa_operation.flags */
#define LEVEE_RSA_B_TRANSPOSED 0x1u /* B is stored [n][k] (k contiguous) instead of [k][n] */
/* Adds the product to the contents of out, after multiplying them by a factor for each row, FP32
 * at `bias` with the strides of a_scale (address 0: no factor): out = out * factor + product.
 * There is no bias then. */
#define LEVEE_RSA_ACCUMULATE 0x2u
/* For `redirect` without readable tables: the rows in `partial` cost neither traffic nor
 * loading. An output-stationary array refuses this flag. */
#define LEVEE_RSA_PARTIAL_FREE 0x4u
#define LEVEE_RSA_RING_1 0x8u /* B passes through ring 1, of any type */

/* B has groups of scales: 2^log2 elements of k share one, log2 from LEVEE_RSA_MIN_GROUP_LOG2 to
 * LEVEE_RSA_MAX_GROUP_LOG2. A column's scales lie one after another, for k in ascending order; the
 * last group may be shorter. Neither ragged nor redirected. */
#define LEVEE_RSA_GROUP_SHIFT 4u
#define LEVEE_RSA_GROUP(log2) ((log2) << LEVEE_RSA_GROUP_SHIFT)
#define LEVEE_RSA_MIN_GROUP_LOG2 3u
#define LEVEE_RSA_MAX_GROUP_LOG2 15u

/* levee_rsa_operation.ragged */
enum levee_rsa_ragged {
    LEVEE_RSA_RAGGED_NONE = 0,
    LEVEE_RSA_RAGGED_N = 1,
    LEVEE_RSA_RAGGED_K = 2,
    LEVEE_RSA_RAGGED_M = 3,       /* products share the m1 rows of A and of out */
    LEVEE_RSA_RAGGED_M_LISTED = 4 /* likewise, and a list says which row of A each is */
};

/* out[o0][o1][m1][m0][n] = float(sum_k A[o0][o1][m1][m0][k] * B[o0][o1](k, n))
 *                          * a_scale[o0][o1][m1][m0] * b_scale[o0][o1][n] * alpha + bias[n]
 * in exactly that order of single-precision operations, each factor left out where its address
 * is 0 (alpha: where it is 1.0f); the sum is exact.
 *
 * With groups of scales, the sum_g of k over group g is exact, and each operation rounds:
 *
 *   value = float(sum_0) * b_scale[n][0]
 *
 *   value = value + float(sum_g) * b_scale[n][g] for g = 1, 2, ...
 *
 *   out = value * a_scale * alpha + bias
 *
 * A: INT16 or INT8. B: INT8, INT4, INT3 or INT16. out: FP32. Scales and bias: FP32. Strides are
 * bytes. k of A, n of out and the inner index of B are contiguous. With ragged N or K, that
 * dimension is, for each (o0, o1), the 32-bit word at lengths + o0 * lengths_stride[0] + o1 *
 * lengths_stride[1] plus `length_add`, at most n (or k).
 *
 * With ragged M the word at lengths + 4 * o0 is the number of rows of A and of out (out of m1,
 * in order) that belong to product o0. With 0 rows its B is not read. The words add up to m1.
 * After them, LISTED has m1 words: row i of A is at a + word * a_stride[2], and its scale
 * likewise. outer[1] and m0 are 1; the strides of o0 apply to B only; accumulation, streams and
 * taps are not permitted. Each product has its own bias, lengths_stride[0] bytes after the
 * previous one.
 *
 * signal_every counts iterations of (o0, o1); with both 1, column folds.
 *
 * b may be a stream port whose producer sends stored bytes. Only one product is permitted then,
 * neither ragged nor redirected. Since B comes only once, its m rows must fit the array's sums
 * (weight stationary: `accumulator_rows`; output stationary: its rows). Its rows are b_stride[2]
 * bytes apart there, which is at least their length; what follows the last is ignored. */
struct levee_rsa_operation {
    uint64_t a;
    uint64_t a_scale;
    uint64_t b;
    uint64_t b_scale;
    uint64_t bias;
    uint64_t out;
    uint64_t lengths;
    uint64_t redirect;         /* struct levee_rsa_redirect; 0: all of B is at b */
    int32_t a_stride[4];       /* o0, o1, m1, m0 */
    int32_t a_scale_stride[4]; /* o0, o1, m1, m0 */
    int32_t b_stride[3];       /* o0, o1, stored row (k, or n if transposed) */
    int32_t b_scale_stride[3]; /* o0, o1, n */
    int32_t out_stride[4];     /* o0, o1, m1, m0 */
    int32_t lengths_stride[2]; /* o0, o1; with ragged M, o0 of bias */
    uint16_t outer[2];         /* o0, o1: at least 1 */
    uint16_t m1, m0;           /* Sizes, at least 1. */
    uint32_t k, n;             /* At least 1; k is at most LEVEE_RSA_MAX_INNER. */
    float alpha;
    uint8_t a_type, b_type; /* enum levee_type */
    uint8_t flags;
    uint8_t ragged;
    uint32_t length_add;
    uint32_t tap; /* 1 + a stream port that gets a copy of out (rows of n, 0 beyond a ragged length)
                     while it is written to memory; 0: none */
};

#define LEVEE_RSA_ROW_HERE 0xFFFFFFFFu
/* Limit for an INT16 b, for which byte passes still fit their INT32 accumulators; a narrower b
 * permits twice as much. */
#define LEVEE_RSA_MAX_INNER LEVEE_MAX_INNER

/* Stored rows of B that lie elsewhere; in memory, 8-byte aligned. Row i of product (o0, o1) has its
 * 32-bit word at table + o0 * table_stride[0] + o1 * table_stride[1] + 4 * i: LEVEE_RSA_ROW_HERE,
 * or the row's index at base. Scales are not redirected. `common` and `partial` count in place of a
 * table that cannot be read (timing-only runs from statistics). */
struct levee_rsa_redirect {
    uint64_t table;
    uint64_t base;
    int32_t table_stride[2];
    int32_t base_stride[3]; /* o0, o1, row */
    uint16_t common;        /* rows at base that every product has */
    uint16_t partial;       /* further rows; some products have each */
};

#ifdef __cplusplus
static_assert(sizeof(levee_rsa_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_rsa_operation) <= 176, "fits the descriptor");
#endif
