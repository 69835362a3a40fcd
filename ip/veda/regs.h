// SPDX-License-Identifier: Apache-2.0
/* VEDA's reconfigurable PE arrays: registers and operation (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_VEDA 7u /* number of this block in boot_info */

#define LEVEE_VEDA_ARRAYS 0x80u  /* RO  PE arrays side by side */
#define LEVEE_VEDA_ROWS 0x84u    /* RO  rows of one */
#define LEVEE_VEDA_COLUMNS 0x88u /* RO  columns of one */

enum levee_veda_opcode { LEVEE_VEDA_GEMV = 1 };

/* The arrays' way to multiply (VEDA, section IV-A). With L lanes (PEs) for a product, INNER
 * takes n * ceil(k / L) cycles and gives one result at a time: for a k that fits, an n that
 * grows. OUTER takes k * ceil(n / L) cycles: for an n that fits, a k that grows. Arrays without
 * outer products (`dataflow: adder_tree`) use INNER for both. */
enum levee_veda_mode { LEVEE_VEDA_INNER = 0, LEVEE_VEDA_OUTER = 1 };

/* levee_veda_operation.flags */
#define LEVEE_VEDA_B_TRANSPOSED 0x1u /* B is stored [n][k] (k contiguous) instead of [k][n] */
/* Each array computes its own product: array i computes product (o0, ARRAYS * j + i), in
 * parallel for each j. Two heads of 64 thus take the cycles of one of 128. A group takes as long
 * as its longest product. Without the flag all arrays compute one product together. */
#define LEVEE_VEDA_SPLIT 0x2u
/* Vector m of `m` has a ragged dimension of length - (number of vectors) + 1 + m: each token of
 * a prefill sees itself and earlier tokens. Later tokens are neither computed nor read nor
 * written. Lengths are at least `m`. */
#define LEVEE_VEDA_CAUSAL 0x4u

/* levee_veda_operation.ragged */
enum levee_veda_ragged {
    LEVEE_VEDA_RAGGED_NONE = 0,
    LEVEE_VEDA_RAGGED_N = 1,
    LEVEE_VEDA_RAGGED_K = 2
};

/* out[o0][o1][m][n] = sum_k A[o0][o1][m][k] * B[o0][o1](k, n) with exact products, FP32 sums in
 * the arrays' order (ip/veda/README.md) and, where out is FP16, a last rounding; all to nearest,
 * ties to even. A, B: FP16. out: FP16 or FP32. Strides are bytes. k of A, n of out and the inner
 * index of B are contiguous. With ragged N or K, that dimension is, for each (o0, o1), the
 * 32-bit word at lengths + o0 * lengths_stride[0] + (o1 / group) * lengths_stride[1] plus
 * `length_add`, at most n (or k). Ports carry FP32. `out` may be a port: rows of n, 0 beyond a
 * ragged length. `a` may be another port: rows of k, of which the ragged length counts; each
 * element is rounded to FP16. Its vectors come once, in the order of (o0, o1, m); vectors that
 * share a pass of B come piece by piece. Several vectors with SPLIT would need another order:
 * LEVEE_ERROR_STREAM of `a`. The m vectors of (o0, o1), and of the `group` heads that have the
 * same B, share its passes as far as the buffer permits. Sums of a piece of k wait in the buffer
 * for the next, or in `work`. signal_every counts iterations of (o0, o1). */
struct levee_veda_operation {
    uint64_t a;
    uint64_t b;
    uint64_t out;
    uint64_t lengths;
    int32_t a_stride[3];   /* o0, o1, m */
    int32_t b_stride[3];   /* o0, o1, stored row (k, or n if transposed) */
    int32_t out_stride[3]; /* o0, o1, m */
    int32_t lengths_stride[2];
    uint16_t outer[2]; /* o0, o1: at least 1 */
    uint32_t m;        /* vectors for each (o0, o1): at least 1 */
    uint32_t k, n;     /* Sizes, at least 1. */
    uint32_t length_add;
    uint8_t mode; /* enum levee_veda_mode */
    uint8_t flags;
    uint8_t ragged;
    uint8_t out_type; /* enum levee_type */
    uint32_t group;   /* B and lengths take o1 / group for o1 (grouped-query attention); 0 = 1 */
    /* With A from a port and `out` in memory: 1 + the number of another port, which receives A's
     * elements unchanged, in rows of k. 0: none. */
    uint32_t tap;
    uint64_t work; /* memory for sums of pieces of k; 0: none. Its contents have no later meaning */
    uint64_t work_bytes;
};

#ifdef __cplusplus
static_assert(sizeof(levee_veda_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_veda_operation) <= 176, "fits the descriptor");
#endif
