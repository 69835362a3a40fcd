// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of the special function unit (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_SFU 4u /* number of this block in boot_info */

#define LEVEE_SFU_LANES 0x80u     /* RO  elements per cycle */
#define LEVEE_SFU_CLOCK_KHZ 0x84u /* RO  clock of the unit in kHz */

/* Each (o0, o1, row) has one vector of n elements. x is FP32, in memory also FP16. y is FP32;
 * for ADD, COMBINE and products with y (..._MUL) also FP16 (y_type). out is FP32 or FP16; or
 * INT16, INT8 or INT4 (two per byte, low nibble first) with one FP32 scale per vector
 * (out_scale). Arithmetic is FP32; an FP16 result is rounded once, at the end. Strides are in
 * bytes; elements are contiguous.
 *
 * x and out may be stream ports: FP32, with vectors in the order (o0, o1, row). out may not be a
 * port for ARGMAX, SAMPLE and LOG_PROB, nor with SCATTER or a tap. SOFTMAX_KNOWN with a tap may
 * omit out (0). */
enum levee_sfu_opcode {
    LEVEE_SFU_RMS_NORM = 1,   /* x / sqrt(mean(x^2) + param) * gain */
    LEVEE_SFU_LAYER_NORM = 2, /* (x - mean) / sqrt(var + param) * gain + bias */
    LEVEE_SFU_ROPE = 3,       /* rotates pairs by position * phase[i]; y: uint32 phase increments
                                 in 2^-32 turns, half as many as rotated elements. The first
                                 `seed` of n elements are rotated, or all if 0. Position = word
                                 of the positions table + row. With gain, x is first normalised
                                 as by RMS_NORM. With block_log2, each block of 2^block_log2
                                 rotated elements is then multiplied by the orthonormal Hadamard
                                 matrix */
    LEVEE_SFU_SOFTMAX = 4,    /* over the first `length` elements, each first multiplied by param
                                 unless that is 0, then capped. With y, results are multiplied by
                                 y[i] (FP32, y_stride[2] bytes between elements). Elements from
                                 length to n are written as 0. With positions, each (o0, o1) has
                                 a sink, which is an FP32 value at positions. The sink is
                                 included in the maximum and the sum, without factor and cap, and
                                 has no result */
    LEVEE_SFU_SILU_MUL = 5,   /* silu(x) * y */
    LEVEE_SFU_GELU = 6,
    LEVEE_SFU_RELU = 7,
    LEVEE_SFU_ADD = 8,      /* x + y */
    LEVEE_SFU_QUANTISE = 9, /* converts x to the format of out. With gain, x is first normalised as
                               by RMS_NORM. With block_log2, it is then multiplied by the Hadamard
                               matrix as in ROPE */
    /* out = table[index]. x is the table, whose rows are x_stride[2] apart. INT8, INT4 and INT3
     * rows (x_type) have one FP32 scale each at gain + 4 * index, or with block_log2 one for each
     * group; FP16 and FP32 rows have none. If y is given, its FP32 row [position] is added; rows of
     * y are y_stride[2] apart. */
    LEVEE_SFU_EMBED = 10,
    LEVEE_SFU_ARGMAX = 11,   /* out: a struct levee_sfu_pick per vector */
    LEVEE_SFU_SAMPLE = 12,   /* param: temperature; seed; out as for ARGMAX. With indices, each
                                vector has its own seed in that table, and its draw does not depend
                                on other vectors. With positions, each (o0, o1) has its own
                                temperature, an FP32 value in that table, in place of param */
    LEVEE_SFU_LOG_PROB = 13, /* log-probability of element [index]; out: a struct levee_sfu_pick
                                per vector */
    /* Like SOFTMAX, for one part of a longer vector. Parts come in order; maximum and sum cover
     * all parts so far. gain: struct levee_sfu_running, read (except with FIRST) and written.
     * bias: output, FP32, the factor for sums over earlier parts. The sink is included with
     * FIRST. */
    LEVEE_SFU_SOFTMAX_PART = 14,
    LEVEE_SFU_SOFTMAX_KNOWN = 15, /* Like SOFTMAX, but reads maximum and sum from gain. */
    LEVEE_SFU_GELU_MUL = 16,      /* gelu(x) * y */
    LEVEE_SFU_GELU_TANH = 17,     /* gelu, approximated with tanh */
    LEVEE_SFU_GELU_TANH_MUL = 18, /* gelu, approximated with tanh, * y */
    LEVEE_SFU_RELU_SQUARED = 19,  /* max(x, 0)^2 */
    LEVEE_SFU_RELU_MUL = 20,      /* max(x, 0) * y */
    LEVEE_SFU_ROUTE = 21,   /* x: [rows][n] scores. In each row the `seed` largest are chosen, ties
                               to the lowest index. Weights are a softmax over all n elements, or,
                               if param is not 0, over the chosen ones. With SIGMOID, scores and
                               weights are sigmoids of x; if param is not 0, weights are divided by
                               their sum over the chosen ones. With bias, FP32 [n], the elements
                               with the largest softmax (or sigmoid) + bias are chosen. Weights do
                               not include the bias; if param is not 0, they are divided by their
                               sum. out: words: for each of the n elements the number of rows that
                               chose it, then rows * seed row numbers, ordered by element, then row.
                               out_scale: struct levee_sfu_choice [rows][seed], the largest first */
    LEVEE_SFU_COMBINE = 22, /* sum of weight * row `place` of x over the `seed` choices of a row, in
                               order (indices: struct levee_sfu_choice [rows][seed]). x has rows *
                               seed rows. With y, a row of y is added last; with gain, it is first
                               multiplied by the sigmoid of the row's FP32 there */
    LEVEE_SFU_CLAMPED_MUL = 23 /* (u + 1) * (g * sigmoid(param * g)), with g = min(x, cap) and u
                                  = y clamped to [-cap, cap] */
};

/* A choice of ROUTE: the row's place in the list of row numbers, and the choice's weight. */
struct levee_sfu_choice {
    uint32_t place;
    float weight;
};

/* State of a softmax in parts: the maximum of the elements so far, and the sum of exp(x -
 * maximum). There is one for each vector, at twice the strides of out_scale. `bias` has the
 * strides of out_scale. */
struct levee_sfu_running {
    float maximum;
    float sum;
};

/* Result of ARGMAX, SAMPLE and LOG_PROB for each vector (out_stride apart). */
struct levee_sfu_pick {
    uint32_t index;    /* ARGMAX, LOG_PROB: index of the largest element, ties to the lowest index;
                          SAMPLE: index of the drawn element */
    float value;       /* the element at `index` */
    float log_sum_exp; /* natural logarithm of the sum of exp of all elements */
    float log_prob;    /* ARGMAX, SAMPLE: of the element at `index`; LOG_PROB: of the target */
};

/* levee_sfu_operation.flags */
#define LEVEE_SFU_ROPE_HALVES 0x1u /* pairs are (i, i + n/2) instead of (2i, 2i + 1) */
#define LEVEE_SFU_CAUSAL                                                                           \
    0x2u                       /* softmaxes: row r uses length - rows + 1 + r elements, the last   \
                                  `seed` of them */
#define LEVEE_SFU_SCATTER 0x4u /* the indices table (+ row) gives the row of out */
#define LEVEE_SFU_ROW_WORDS                                                                        \
    0x8u /* ROPE's positions and SCATTER's indices have a word for each row, 4 bytes apart */
#define LEVEE_SFU_SCATTER_SCALE 0x10u /* with SCATTER: only out_scale's rows are scattered */
#define LEVEE_SFU_FIRST 0x20u         /* SOFTMAX_PART: this is the first part; gain is not read */
#define LEVEE_SFU_TAP_LISTED                                                                       \
    0x40u /* softmaxes with a tap: result i is element indices[i] of the tap's `seed` elements */
#define LEVEE_SFU_SIGMOID 0x80u /* ROUTE: scores are sigmoids */

/* levee_sfu_operation.block_log2 */
#define LEVEE_SFU_MIN_GROUP_LOG2 3u
#define LEVEE_SFU_MAX_GROUP_LOG2 15u
#define LEVEE_SFU_MAX_HADAMARD_LOG2 15u

/* SCATTER index of a vector that is not written. With SCATTER_SCALE, its codes are written, but its
 * scale is not. */
#define LEVEE_SFU_SKIP 0xFFFFFFFFu

/* Tables hold 32-bit words, read at table + o0 * stride[0] + o1 * stride[1] (+ row * stride[2]).
 * All rows have n elements; use `lengths` for shorter vectors, and another operation for fewer
 * rows. `lengths`: softmaxes: number of valid elements, to which `length_add` is added; 0 = n for
 * all.
 *   With a window, 0 means n + length_add, and a length may exceed n: a row then uses the part of
 *   its window below n, which may be empty.
 * `positions`: ROPE and EMBED: position of row 0 (0 = position 0), to which row is added. SOFTMAX,
 *   and SOFTMAX_PART with FIRST: sinks (0: none). SAMPLE: temperatures (0: `param` for all).
 * `indices`: EMBED: the row of the table for each (o0, o1, row). LOG_PROB: the target. SAMPLE: the
 *   seed (0: `seed` for all). SCATTER: the output row of row 0; stride[2] is ignored and row
 *   added. TAP_LISTED: a word below `seed` for each element, 4 bytes apart; `length` words are
 *   used; the tap's other elements are 0.
 * signal_every counts iterations of (o0, o1). */
struct levee_sfu_operation {
    uint64_t x;
    uint64_t y;
    uint64_t out;
    uint64_t out_scale;
    uint64_t gain;
    uint64_t bias;
    uint64_t lengths;
    uint64_t indices;
    uint64_t positions;
    int32_t x_stride[3];         /* strides of o0, o1, row */
    int32_t y_stride[3];         /* strides of o0, o1, row (SOFTMAX: element) */
    int32_t out_stride[3];       /* strides of o0, o1, row */
    int32_t out_scale_stride[3]; /* strides of o0, o1, row */
    uint32_t indices_stride[3];
    uint16_t lengths_stride[2];
    uint16_t positions_stride[2];
    uint16_t outer[2];  /* iterations of the outer loops o0 and o1, at least 1 */
    uint16_t rows;      /* rows of each (o0, o1), at least 1 */
    uint8_t y_type;     /* ADD, ..._MUL, COMBINE: LEVEE_TYPE_FP16; LEVEE_TYPE_NONE means FP32 */
    uint8_t block_log2; /* EMBED: 2^block_log2 elements of a row share a scale; 0: all share
                           one. ROPE and QUANTISE: the Hadamard matrix has 2^block_log2 rows; 0:
                           no such product */
    uint32_t n;         /* elements of a vector, at least 1 */
    uint32_t length_add;
    float param;
    uint32_t seed; /* SAMPLE: seed. TAP_LISTED: elements of the tap's vectors, at least n. Other
                      softmaxes: window, the number of last valid elements that a row uses; 0:
                      all. ROPE: number of rotated elements, even; 0: all. ROUTE and COMBINE:
                      choices per row */
    uint8_t x_type, out_type; /* enum levee_type */
    uint8_t flags;
    uint8_t group; /* number of heads o1 that share y, lengths and TAP_LISTED's indices
                      (grouped-query attention); 0 means 1 */
    uint32_t tap;  /* softmaxes: 1 + the number of a stream port that gets the probabilities,
                      FP32 and before the product with y, in rows of n (except with TAP_LISTED);
                      0: none */
    float cap;     /* softmaxes, ARGMAX, SAMPLE and LOG_PROB: x becomes cap * tanh(x / cap),
                      after the factor param; 0: no cap. CLAMPED_MUL: the limit, above 0 */
};

#ifdef __cplusplus
static_assert(sizeof(levee_sfu_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_sfu_operation) <= 176, "must fit the descriptor");
#endif
