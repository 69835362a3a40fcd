// SPDX-License-Identifier: Apache-2.0
/* Registers and operation of the reconfigurable systolic array (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_RSA 3u /* number of this block in boot_info */

#define LEVEE_RSA_ROWS 0x80u        /* RO  rows of the array */
#define LEVEE_RSA_COLUMNS 0x84u     /* RO  columns of the array */
#define LEVEE_RSA_PASSES 0x88u      /* RO passes of a 16-bit by 8-bit product: 1 or 2 */
#define LEVEE_RSA_LOAD_BYTES 0x8Cu  /* RO  bytes of B that the array loads per cycle */
#define LEVEE_RSA_CLOCK_KHZ 0x90u   /* RO  clock of the array in kHz */
#define LEVEE_RSA_SHARED_ROWS 0x94u /* RO  rows of sums that share reads of A; 0: no sharing */
#define LEVEE_RSA_STREAM_ROWS 0x98u /* RO  maximum rows of A if B comes from a port */

/* On-chip rings stage B on its way from another memory. Arriving bytes are written to the ring, and
 * the array reads them there. Ring 0 is for B of up to 8 bits (weights). Ring 1 is for B of 16 bits
 * and, with LEVEE_RSA_RING_1, for narrower B (keys, values). B does not pass through a ring of 0
 * bytes, or through a ring in the memory where B is. The registers are RW, and are read when an
 * operation starts. */
#define LEVEE_RSA_RING_LO(i) (0xA0u + 0x10u * (i)) /* address, low word */
#define LEVEE_RSA_RING_HI(i) (0xA4u + 0x10u * (i))
#define LEVEE_RSA_RING_BYTES(i) (0xA8u + 0x10u * (i))
/* Distance from the ring's first part to a second part of the same size; 0: no second part. Data
 * are divided evenly between them. */
#define LEVEE_RSA_RING_STRIDE(i) (0xACu + 0x10u * (i))

enum levee_rsa_opcode { LEVEE_RSA_GEMM = 1 };

/* levee_rsa_operation.flags */
#define LEVEE_RSA_B_TRANSPOSED 0x1u /* B is stored [n][k] (k contiguous) instead of [k][n] */
/* LEVEE_RSA_ACCUMULATE: out = out * factor + product. Each row has an FP32 factor at `bias`,
 * with the strides of a_scale; if the address is 0, there is no factor. A bias cannot be added. */
#define LEVEE_RSA_ACCUMULATE 0x2u
/* Used only in statistical runs, which cannot read the table of `redirect`: the rows in
 * `partial` then cost neither traffic nor loading time. An output-stationary array refuses this
 * flag. */
#define LEVEE_RSA_PARTIAL_FREE 0x4u
#define LEVEE_RSA_RING_1 0x8u /* B of any type passes through ring 1 */

/* B has a scale for each group of 2^log2 elements of k, with log2 from LEVEE_RSA_MIN_GROUP_LOG2 to
 * LEVEE_RSA_MAX_GROUP_LOG2. A column's scales are consecutive, in ascending order of k; the last
 * group may be shorter. Not permitted with ragged N or K, or with redirect. */
#define LEVEE_RSA_GROUP_SHIFT 4u
#define LEVEE_RSA_GROUP(log2) ((log2) << LEVEE_RSA_GROUP_SHIFT)
#define LEVEE_RSA_MIN_GROUP_LOG2 3u
#define LEVEE_RSA_MAX_GROUP_LOG2 15u

/* levee_rsa_operation.ragged */
enum levee_rsa_ragged {
    LEVEE_RSA_RAGGED_NONE = 0,
    LEVEE_RSA_RAGGED_N = 1,
    LEVEE_RSA_RAGGED_K = 2,
    LEVEE_RSA_RAGGED_M = 3,       /* the m1 rows of A and of out are divided among products */
    LEVEE_RSA_RAGGED_M_LISTED = 4 /* like RAGGED_M; a list gives the row of A for each row of out */
};

/* out[o0][o1][m1][m0][n] = float(sum_k A[o0][o1][m1][m0][k] * B[o0][o1](k, n))
 *                          * a_scale[o0][o1][m1][m0] * b_scale[o0][o1][n] * alpha + bias[n]
 * in exactly this order of single-precision operations. A factor whose address is 0 is omitted;
 * alpha is omitted if it is 1.0f. The sum is exact.
 *
 * With groups of scales, sum_g, the sum over group g of k, is exact, and each of these operations
 * rounds:
 *
 *   value = float(sum_0) * b_scale[n][0]
 *
 *   value = value + float(sum_g) * b_scale[n][g] for g = 1, 2, ...
 *
 *   out = value * a_scale * alpha + bias
 *
 * A is INT16 or INT8; B is INT8, INT4, INT3 or INT16; out, scales and bias are FP32. Strides are
 * in bytes. k of A, n of out and the inner index of B are contiguous. With ragged N or K, that
 * dimension is for each (o0, o1) the 32-bit word at lengths + o0 * lengths_stride[0] + o1 *
 * lengths_stride[1], plus `length_add`. It is at most n (or k).
 *
 * With ragged M, the word at lengths + 4 * o0 is the number of rows of A and of out that belong to
 * product o0. The rows of successive products are consecutive within m1, and the words add up to
 * m1. If a product's word is 0, its B is not read. RAGGED_M_LISTED has m1 further words: row i of A
 * is at a + word[i] * a_stride[2], and its scale at a_scale + word[i] * a_scale_stride[2]. outer[1]
 * and m0 are 1; the strides of o0 apply only to B. Accumulation, streams and taps are not
 * permitted. Each product has its own bias, lengths_stride[0] bytes after the previous one.
 *
 * signal_every counts iterations of (o0, o1); if both are 1, it counts column folds.
 *
 * b may be a stream port whose producer sends stored bytes. Then only one product is permitted,
 * neither ragged nor redirected. Because B comes only once, the array must hold the sums of all
 * rows of A: at most STREAM_ROWS. Rows of B are b_stride[2] bytes apart in the stream; b_stride[2]
 * is at least their length. Bytes after the last row are ignored. */
struct levee_rsa_operation {
    uint64_t a;
    uint64_t a_scale;
    uint64_t b;
    uint64_t b_scale;
    uint64_t bias;
    uint64_t out;
    uint64_t lengths;
    uint64_t redirect;         /* struct levee_rsa_redirect; 0: all of B is at b */
    int32_t a_stride[4];       /* strides of o0, o1, m1, m0 */
    int32_t a_scale_stride[4]; /* strides of o0, o1, m1, m0 */
    int32_t b_stride[3];       /* strides of o0, o1, stored row (k, or n if transposed) */
    int32_t b_scale_stride[3]; /* strides of o0, o1, n */
    int32_t out_stride[4];     /* strides of o0, o1, m1, m0 */
    int32_t lengths_stride[2]; /* strides of o0, o1; with ragged M, [0] is the stride of bias */
    uint16_t outer[2];         /* iterations of the outer loops o0 and o1, at least 1 */
    uint16_t m1, m0;           /* at least 1 */
    uint32_t k, n;             /* at least 1; k is at most LEVEE_RSA_MAX_INNER */
    float alpha;
    uint8_t a_type, b_type; /* enum levee_type */
    uint8_t flags;
    uint8_t ragged;
    uint32_t length_add;
    uint32_t tap; /* 1 + the number of a stream port that gets a copy of out (rows of n, 0 beyond
                     a ragged length) while it is written to memory; 0: none */
};

#define LEVEE_RSA_ROW_HERE 0xFFFFFFFFu
/* Limit of k for an INT16 b, up to which the sums of byte passes fit in INT32 accumulators. For
 * narrower types of b, twice as many would fit. */
#define LEVEE_RSA_MAX_INNER LEVEE_MAX_INNER

/* Rows of B that are stored elsewhere. The struct is in memory, aligned to 8 bytes. Row i of
 * product (o0, o1) has its 32-bit word at table + o0 * table_stride[0] + o1 * table_stride[1] + 4 *
 * i. The word is LEVEE_RSA_ROW_HERE, or the index of the row at `base`. Scales are not redirected.
 * Statistical runs cannot read the table, and use the counts `common` and `partial`. */
struct levee_rsa_redirect {
    uint64_t table;
    uint64_t base;
    int32_t table_stride[2];
    int32_t base_stride[3]; /* strides of o0, o1, row */
    uint16_t common;        /* number of rows at base that every product uses */
    uint16_t partial;       /* number of other rows at base, which only some products use */
};

#ifdef __cplusplus
static_assert(sizeof(levee_rsa_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_rsa_operation) <= 176, "must fit the descriptor");
#endif
