// SPDX-License-Identifier: Apache-2.0
/* VEDA's reconfigurable PE arrays: registers and operation (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_VEDA 7u /* Number of this block in boot_info. */

#define LEVEE_VEDA_ARRAYS 0x80u  /* RO  number of PE arrays */
#define LEVEE_VEDA_ROWS 0x84u    /* RO  rows of an array */
#define LEVEE_VEDA_COLUMNS 0x88u /* RO  columns of an array */

enum levee_veda_opcode { LEVEE_VEDA_GEMV = 1 };

/* Loop order of a product (VEDA, section IV-A). L is the number of lanes (PEs) per product. INNER
 * takes n * ceil(k / L) cycles and gives one result at a time. INNER is best if k is a multiple of
 * L, for any n. OUTER takes k * ceil(n / L) cycles. OUTER is best if n is a multiple of L, for any
 * k. Arrays without outer products (`dataflow: adder_tree`) use INNER for both. */
enum levee_veda_mode { LEVEE_VEDA_INNER = 0, LEVEE_VEDA_OUTER = 1 };

/* levee_veda_operation.flags */
#define LEVEE_VEDA_B_TRANSPOSED 0x1u /* B is stored [n][k] (k contiguous) instead of [k][n] */
/* Each array computes its own product: array i computes product (o0, ARRAYS * j + i), for one j at
 * a time. Two heads of dimension 64 on two arrays thus take as many cycles as one head of dimension
 * 128. The products that run in parallel take as long as the longest of them. Without the flag, all
 * arrays compute one product together. */
#define LEVEE_VEDA_SPLIT 0x2u
/* The ragged dimension of vector i, of `m` vectors, is length - m + 1 + i: each token of a prefill
 * attends to itself and earlier tokens. Later tokens are neither read, computed nor written.
 * Lengths are at least `m`. */
#define LEVEE_VEDA_CAUSAL 0x4u

/* levee_veda_operation.ragged */
enum levee_veda_ragged {
    LEVEE_VEDA_RAGGED_NONE = 0,
    LEVEE_VEDA_RAGGED_N = 1,
    LEVEE_VEDA_RAGGED_K = 2
};

/* out[o0][o1][m][n] = sum_k A[o0][o1][m][k] * B[o0][o1](k, n). Products are exact; FP32 sums are
 * computed in the arrays' order (ip/veda/README.md). If out is FP16, each sum is finally rounded to
 * FP16. All rounding is to nearest, ties to even. A and B are FP16, out is FP16 or FP32. Strides
 * are in bytes. k of A, n of out and the inner index of B are contiguous.
 *
 * With ragged N or K, that dimension is for each (o0, o1) the 32-bit word at lengths + o0 *
 * lengths_stride[0] + (o1 / group) * lengths_stride[1], plus `length_add`. It is at most n (or
 * k).
 *
 * Ports carry FP32. `out` may be a port: rows of n, with 0 beyond a ragged length. `a` may be
 * another port: rows of k, used up to the ragged length; each element is rounded to FP16. The
 * vectors of `a` come once, in the order of (o0, o1, m). Vectors that share a read of B come
 * piece by piece. Several vectors with SPLIT would need another order; such an operation is refused
 * with LEVEE_ERROR_STREAM for the field `a`.
 *
 * The m vectors of (o0, o1), and of the `group` heads with the same B, share reads of B as
 * far as the buffer permits. Sums of one piece of k wait for the next piece in the buffer or in
 * `work`. signal_every counts iterations of (o0, o1). */
struct levee_veda_operation {
    uint64_t a;
    uint64_t b;
    uint64_t out;
    uint64_t lengths;
    int32_t a_stride[3];   /* strides of o0, o1, m */
    int32_t b_stride[3];   /* strides of o0, o1, stored row (k, or n if transposed) */
    int32_t out_stride[3]; /* strides of o0, o1, m */
    int32_t lengths_stride[2];
    uint16_t outer[2]; /* iterations of the outer loops o0 and o1, at least 1 */
    uint32_t m;        /* vectors of each (o0, o1), at least 1 */
    uint32_t k, n;     /* at least 1 */
    uint32_t length_add;
    uint8_t mode; /* enum levee_veda_mode */
    uint8_t flags;
    uint8_t ragged;
    uint8_t out_type; /* enum levee_type */
    uint32_t group;   /* heads o1 with the same B and lengths (grouped-query attention); 0 means
                         1 */
    /* For A from a port and `out` in memory: 1 + the number of another port, which receives A's
     * elements unchanged, in rows of k. 0: none. */
    uint32_t tap;
    uint64_t work; /* memory for sums of pieces of k; 0: none. Its contents are undefined
                      afterwards */
    uint64_t work_bytes;
};

#ifdef __cplusplus
static_assert(sizeof(levee_veda_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_veda_operation) <= 176, "must fit the descriptor");
#endif
