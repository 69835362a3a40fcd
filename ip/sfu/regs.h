// SPDX-License-Identifier: Apache-2.0
/* Special function unit: registers and operations (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_SFU 4u /* number of this block in boot_info */

#define LEVEE_SFU_LANES 0x80u     /* RO  elements a cycle */
#define LEVEE_SFU_CLOCK_KHZ 0x84u /* RO  the unit's clock */

/* One vector of n elements for each (o0, o1, row). x: FP32, in memory also FP16. y: FP32, of
 * ADD, COMBINE and products with y (..._MUL) also FP16 (y_type). out: FP32 or FP16, or INT16, INT8
 * or INT4 (two per byte, low nibble first) with one FP32 scale per vector (out_scale). Arithmetic
 * is FP32; an FP16 result is rounded once, at the end. Strides are bytes; elements are contiguous.
 * x and out may be stream ports: FP32, the vectors in order (o0, o1, row); out not of ARGMAX,
 * SAMPLE and LOG_PROB, and without SCATTER and tap. SOFTMAX_KNOWN with a tap may have no out (0):
 * then nothing is written.
 */
enum levee_sfu_opcode {
    LEVEE_SFU_RMS_NORM = 1,   /* x / sqrt(mean(x^2) + param[0]) * gain */
    LEVEE_SFU_LAYER_NORM = 2, /* (x - mean) / sqrt(var + param[0]) * gain + bias */
    LEVEE_SFU_ROPE = 3,       /* rotate pairs by position * phase[i]; y: uint32 phase increments in
                                 2^-32 turns, half as many as elements are rotated: the first `seed`
                                 of n, 0 for all; the others stay. Position = word of the positions
                                 table + row. With gain, x is first normalised as by RMS_NORM */
    LEVEE_SFU_SOFTMAX = 4,  /* over the first `length` elements, each times param[0] unless that is
                               0, then capped; result * y[i] if y is given (y: one FP32 per element
                               with y_stride[2] bytes between elements); elements from length to n
                               are written as 0. With positions, each (o0, o1) has one element more,
                               the FP32 there: its sink, which the maximum and the sum count, neither
                               scaled nor capped, and of which nothing is written */
    LEVEE_SFU_SILU_MUL = 5, /* silu(x) * y */
    LEVEE_SFU_GELU = 6,
    LEVEE_SFU_RELU = 7,
    LEVEE_SFU_ADD = 8,      /* x + y */
    LEVEE_SFU_QUANTISE = 9, /* x, in the format of out. With gain, as by RMS_NORM */
    /* out = table[index] : x is the table: x_type INT8/INT4/INT3 rows with one FP32 scale each
     * at gain + 4 * index, or with scale_group one for each group; FP16/FP32 rows have none;
     * x_stride[2]                                 between its rows; y, if given: FP32 row
     * [position] added,                                 y_stride[2] between its rows */
    LEVEE_SFU_EMBED = 10,
    LEVEE_SFU_ARGMAX = 11,   /* out: struct levee_sfu_pick per vector */
    LEVEE_SFU_SAMPLE = 12,   /* param[0] temperature, seed; as ARGMAX. With indices, each vector has
                                its own seed there, and is drawn as if it were alone */
    LEVEE_SFU_LOG_PROB = 13, /* log-probability of element [index]; out: struct levee_sfu_pick */
    /* Like SOFTMAX, for one part of a longer vector. Parts come in order; maximum and sum cover
     * all parts so far. gain: struct levee_sfu_running, read (except with FIRST) and written.
     * bias: written, FP32, the factor for the results of earlier parts (sums over their
     * elements). The sink is included with FIRST. */
    LEVEE_SFU_SOFTMAX_PART = 14,
    LEVEE_SFU_SOFTMAX_KNOWN = 15, /* Like SOFTMAX, with the maximum and the sum in gain. */
    LEVEE_SFU_GELU_MUL = 16,      /* gelu(x) * y */
    LEVEE_SFU_GELU_TANH = 17,     /* gelu by its approximation with tanh */
    LEVEE_SFU_GELU_TANH_MUL = 18, /* the same * y */
    LEVEE_SFU_RELU_SQUARED = 19,  /* max(x, 0)^2 */
    LEVEE_SFU_RELU_MUL = 20,      /* max(x, 0) * y */
    LEVEE_SFU_ROUTE = 21, /* x: [rows][n] scores. Of each row the `seed` largest are chosen, ties
                             to the lowest index, with their softmax over all n elements as
                             weights, or, with param not 0, over those chosen. With SIGMOID scores
                             are sigmoids of x instead, and so are weights; with param not 0 each
                             is divided by the sum of those chosen. With bias, FP32 [n], the largest
                             of softmax (or sigmoid) + bias are chosen; weights have no bias, and
                             param divides them likewise. out: words, how many
                             rows chose each of the n elements, then rows * seed rows, ordered by
                             element, then row. out_scale: struct levee_sfu_choice [rows][seed],
                             the largest first */
    LEVEE_SFU_COMBINE =
        22, /* sum over the `seed` choices of a row (indices: struct levee_sfu_choice
              [rows][seed]) of weight * row `place` of x, in their order; x has rows
              * seed rows. With y, a row of y is added last, times the sigmoid of the
              row's FP32 at gain, if that is given */
    LEVEE_SFU_CLAMPED_MUL = 23 /* g = min(x, cap), u = y within -cap to cap:
                                  (u + 1) * (g * sigmoid(param * g)) */
};

/* The choice of ROUTE: the row's place among those of all elements, and its weight. */
struct levee_sfu_choice {
    uint32_t place;
    float weight;
};

/* Softmax in parts: of the elements so far, the largest and the sum of exp(x - maximum). One for
 * each vector, at twice the strides of out_scale; `bias` has the strides of out_scale. */
struct levee_sfu_running {
    float maximum;
    float sum;
};

/* The result of ARGMAX, SAMPLE and LOG_PROB for each vector (out_stride apart). */
struct levee_sfu_pick {
    uint32_t index;    /* ARGMAX, LOG_PROB: largest element, ties to the lowest; SAMPLE: the draw */
    float value;       /* the element at `index` */
    float log_sum_exp; /* natural logarithm of the sum of exp of all elements */
    float log_prob;    /* ARGMAX, SAMPLE: of `index`; LOG_PROB: of the target */
};

/* levee_sfu_operation.flags */
#define LEVEE_SFU_ROPE_HALVES 0x1u /* pairs are (i, i + n/2) instead of (2i, 2i + 1) */
#define LEVEE_SFU_CAUSAL                                                                           \
    0x2u                       /* softmaxes: row r sees length - rows + 1 + r elements, or the     \
                                  last of them (`seed`) */
#define LEVEE_SFU_SCATTER 0x4u /* out row = word of the indices table (+ row), instead of row */
#define LEVEE_SFU_ROW_WORDS                                                                        \
    0x8u /* ROPE's positions and SCATTER's indices: a word for each row, 4                         \
            bytes apart, instead of one to which the row is added */
#define LEVEE_SFU_SCATTER_SCALE 0x10u /* With SCATTER: only out_scale's rows are scattered. */
#define LEVEE_SFU_FIRST 0x20u         /* SOFTMAX_PART: no part came before; gain is not read */
#define LEVEE_SFU_TAP_LISTED                                                                       \
    0x40u /* softmaxes with a tap: element i goes to element indices[i] of a vector of `seed`,     \
             whose other elements are 0 */
#define LEVEE_SFU_SIGMOID 0x80u /* ROUTE: scores are sigmoids */

/* levee_sfu_operation.scale_group */
#define LEVEE_SFU_MIN_GROUP_LOG2 3u
#define LEVEE_SFU_MAX_GROUP_LOG2 15u

/* SCATTER index of a vector that is not written (out and out_scale; with SCATTER_SCALE only
 * out_scale). */
#define LEVEE_SFU_SKIP 0xFFFFFFFFu

/* Tables hold 32-bit words, read at table + o0 * stride[0] + o1 * stride[1] (+ row * stride[2]).
 * Ragged rows are not offered: a shorter vector is a length, a shorter batch another operation.
 * `lengths`: softmaxes, number of valid elements (`length_add` is added), 0 = n for all; with a
 *   window 0 = n + length_add, and a length may exceed n: a row then sees what of its window is
 *   below n, maybe nothing.
 * `positions`: ROPE and EMBED (0 = position 0 for row 0); row is added. SOFTMAX, and SOFTMAX_PART
 *   with FIRST: sinks (0: none).
 * `indices`: EMBED the row of the table for each (o0, o1, row); LOG_PROB the target; SAMPLE the
 *   seed (0: `seed` for all); with SCATTER,
 *   the output row for row 0 (stride[2] is ignored and row added); with TAP_LISTED a word for each
 *   element, 4 bytes apart, all below `seed`; `length` of them are used.
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
    int32_t x_stride[3];         /* o0, o1, row */
    int32_t y_stride[3];         /* o0, o1, row (SOFTMAX: element) */
    int32_t out_stride[3];       /* o0, o1, row */
    int32_t out_scale_stride[3]; /* o0, o1, row */
    uint32_t indices_stride[3];
    uint16_t lengths_stride[2];
    uint16_t positions_stride[2];
    uint16_t outer[2];   /* Sizes, at least 1. */
    uint16_t rows;       /* Rows, at least 1. */
    uint8_t y_type;      /* ADD, ..._MUL, COMBINE: LEVEE_TYPE_FP16; LEVEE_TYPE_NONE: FP32 */
    uint8_t scale_group; /* EMBED: 2^this elements of a row share a scale; 0: all do */
    uint32_t n;          /* Elements, at least 1. */
    uint32_t length_add;
    float param;
    uint32_t seed; /* SAMPLE; with TAP_LISTED, elements of the tap's vectors: at least n; other
                      softmaxes: a window, the last elements of those that a row would see, which
                      it sees alone, 0 for all; ROPE: elements that are rotated, even, 0 for all;
                      ROUTE and COMBINE: choices a row */
    uint8_t x_type, out_type; /* enum levee_type */
    uint8_t flags;
    uint8_t group; /* y, lengths and TAP_LISTED's indices take o1 / group for o1 (grouped-query
                      attention); 0 = 1 */
    uint32_t tap;  /* softmaxes: 1 + a stream port that gets the probabilities, FP32 and before the
                      product with y, rows of n (but see TAP_LISTED); 0: none */
    float cap;     /* softmaxes, ARGMAX, SAMPLE and LOG_PROB: x becomes cap * tanh(x / cap) before
                      anything else but param's factor; 0: x stays. CLAMPED_MUL: the limit, above
                     0 */
};

#ifdef __cplusplus
static_assert(sizeof(levee_sfu_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_sfu_operation) <= 176, "fits the descriptor");
#endif
