// SPDX-License-Identifier: Apache-2.0
/* Element-serial function unit (VEDA, section IV-B): registers and operations (plain C, shared with
 * firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_ELEMENT_SERIAL 9u /* number of this block in boot_info */

#define LEVEE_ES_TILE 0x80u /* RO  elements of the FIFO: a tile of a softmax's reduction */

/* A function is two operations on vectors of n elements, one vector for each (o0, o1, row), one
 * element a cycle. REDUCE computes statistics of the elements as they arrive; NORMALISE uses
 * these statistics to apply the function. Stored elements are FP16; arithmetic is FP32. */
enum levee_es_opcode {
    /* v = x, SOFTMAX: x * param; with y: x + y; rounded to FP16, once. out = v. statistics: of v.
     */
    LEVEE_ES_REDUCE = 1,
    /* out = function(x), rounded to FP16; x: as REDUCE has written it. */
    LEVEE_ES_NORMALISE = 2
};

enum levee_es_function {
    LEVEE_ES_SOFTMAX = 0,   /* exp(v - maximum) / sum */
    LEVEE_ES_RMS_NORM = 1,  /* v / sqrt(mean(v^2) + param) * gain */
    LEVEE_ES_LAYER_NORM = 2 /* (v - mean) / sqrt(var + param) * gain + bias */
};

/* Statistics of one vector. */
struct levee_es_statistics {
    float first;  /* SOFTMAX: the maximum; norms: the sum of v */
    float second; /* SOFTMAX: the sum of exp(v - maximum); norms: the sum of v^2 */
};

/* levee_es_operation.flags */
#define LEVEE_ES_CAUSAL 0x1u /* row r sees length - rows + 1 + r elements */

/* Strides are bytes; elements are contiguous. Elements from a vector's length to n, and those
 * before its window, are written as 0. signal_every counts iterations of (o0, o1). */
struct levee_es_operation {
    uint64_t x;   /* REDUCE: a stream port, or memory (x_type); NORMALISE: FP16 in memory */
    uint64_t y;   /* REDUCE: FP16, added; 0: none */
    uint64_t out; /* FP16; REDUCE: 0: not written, x is FP16 in memory, y 0, a softmax's scale 1;
                     NORMALISE: memory or a stream port, rows of n */
    uint64_t statistics; /* struct levee_es_statistics, one a vector */
    uint64_t gain, bias; /* NORMALISE of norms: FP32, n each; 0: none */
    uint64_t lengths;    /* SOFTMAX: valid elements, a word for each (o0, o1 / group); 0: n */
    int32_t x_stride[3]; /* o0, o1, row */
    int32_t y_stride[3];
    int32_t out_stride[3];
    int32_t statistics_stride[3];
    uint16_t lengths_stride[2];
    uint16_t outer[2]; /* Sizes, at least 1. */
    uint16_t rows;     /* Rows, at least 1. */
    uint16_t group;    /* Size of a group, at least 1. */
    uint32_t n;        /* Elements, at least 1. */
    uint32_t length_add;
    float param;      /* REDUCE of SOFTMAX: the scale; NORMALISE of norms: epsilon */
    uint8_t function; /* enum levee_es_function */
    uint8_t x_type;   /* LEVEE_TYPE_FP32 (a port's elements, too) or LEVEE_TYPE_FP16 */
    uint8_t flags;
    uint8_t reserved; /* 0 */
    uint32_t tap; /* NORMALISE to memory: 1 + a stream port that gets the results as well, rows of
                     n; 0: none */
    uint32_t window; /* SOFTMAX: a vector is the last so many of its valid elements; 0: all */
};

#ifdef __cplusplus
static_assert(sizeof(levee_es_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_es_operation) <= 176, "fits the descriptor");
#endif
