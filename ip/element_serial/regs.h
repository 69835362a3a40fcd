// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of the element-serial function unit (VEDA, section IV-B; plain C,
 * shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_ELEMENT_SERIAL 9u /* number of this block in boot_info */

#define LEVEE_ES_TILE 0x80u /* RO  size of the FIFO in elements, which is the size of a tile */

/* A function takes two operations on vectors of n elements. There is one vector for each (o0,
 * o1, row), and one element passes per cycle. REDUCE computes statistics of the elements as they
 * arrive. NORMALISE uses them to apply the function. Stored elements are FP16; arithmetic is
 * FP32. */
enum levee_es_opcode {
    /* v = x (SOFTMAX: x * param), plus y if there is a y; rounded once to FP16. out = v. Writes the
     * statistics of v. */
    LEVEE_ES_REDUCE = 1,
    /* out = function(v), rounded to FP16. x must be the v that REDUCE has written. */
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
#define LEVEE_ES_CAUSAL 0x1u /* row r uses length - rows + 1 + r elements */

/* Strides are in bytes; elements are contiguous. Elements from a vector's length up to n, and
 * elements before its window, are written as 0. signal_every counts iterations of (o0, o1). */
struct levee_es_operation {
    uint64_t x;   /* REDUCE: a stream port, or memory (x_type); NORMALISE: FP16 in memory */
    uint64_t y;   /* REDUCE: FP16, added to x; 0: none */
    uint64_t out; /* FP16. REDUCE: 0 writes nothing: x must then be FP16 in memory, y must be 0,
                     and the scale of a softmax must be 1. NORMALISE: memory or a stream port,
                     rows of n */
    uint64_t statistics; /* address of a struct levee_es_statistics per vector */
    uint64_t gain, bias; /* NORMALISE of norms: FP32, n elements each; 0: none */
    uint64_t lengths;    /* SOFTMAX: number of valid elements, a word for each (o0, o1 / group);
                            0: n */
    int32_t x_stride[3]; /* by o0, o1, row */
    int32_t y_stride[3];
    int32_t out_stride[3];
    int32_t statistics_stride[3];
    uint16_t lengths_stride[2];
    uint16_t outer[2]; /* iterations of o0 and o1, at least 1 */
    uint16_t rows;     /* rows of each (o0, o1), at least 1 */
    uint16_t group;    /* iterations of o1 that share a length, at least 1 */
    uint32_t n;        /* elements of a row, at least 1 */
    uint32_t length_add;
    float param;      /* REDUCE of SOFTMAX: scale; NORMALISE of norms: epsilon */
    uint8_t function; /* enum levee_es_function */
    uint8_t x_type;   /* LEVEE_TYPE_FP32 (also for a port) or LEVEE_TYPE_FP16 */
    uint8_t flags;
    uint8_t reserved; /* 0 */
    uint32_t tap;     /* NORMALISE to memory: 1 + the number of a stream port that also receives the
                         results, in rows of n; 0: none */
    uint32_t window;  /* SOFTMAX: a vector is the last `window` of its valid elements; 0: all */
};

#ifdef __cplusplus
static_assert(sizeof(levee_es_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_es_operation) <= 176, "must fit the descriptor");
#endif
