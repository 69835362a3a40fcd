// SPDX-License-Identifier: Apache-2.0
/* Element types of tensors. This header is plain C, shared with firmware. */
#pragma once

/* Element types of tensors. INT4 has two elements per byte, the first in the low nibble. INT3
 * has eight elements in three bytes, the first in the lowest bits: element i is bits 3 i to 3 i
 * + 2 of the row, whose bit b is bit b % 8 of byte b / 8. Both are two's complement, and each
 * row begins at a byte. */
enum levee_type {
    LEVEE_TYPE_NONE = 0,
    LEVEE_TYPE_INT4 = 1,
    LEVEE_TYPE_INT8 = 2,
    LEVEE_TYPE_INT16 = 3,
    LEVEE_TYPE_FP16 = 4,
    LEVEE_TYPE_FP32 = 5,
    LEVEE_TYPE_UINT32 = 6,
    LEVEE_TYPE_INT3 = 7
};

/* Greatest number of products in a sum with an INT16 operand. INT16 operands are multiplied byte by
 * byte, and the sum for one byte then fits in an INT32 accumulator. It also limits the number of
 * keys and values that a token attends to. */
#define LEVEE_MAX_INNER 32768u

/* Names of the element types, in the order of their numbers. */
#define LEVEE_TYPE_NAMES "NONE", "INT4", "INT8", "INT16", "FP16", "FP32", "UINT32", "INT3"
