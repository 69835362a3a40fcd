// SPDX-License-Identifier: Apache-2.0
/* Element types of tensors (plain C, shared with firmware). */
#pragma once

/* Element types of tensors. INT4 is two per byte, low nibble first. INT3 is eight in three bytes,
 * the first in the lowest bits: element i is bits 3 i to 3 i + 2 of the row, whose bit b is bit b %
 * 8 of byte b / 8. Both are two's complement; a row of either ends with a byte. */
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

/* Most elements of a sum of products with an INT16 operand, so that its byte passes fit INT32
 * accumulators. It bounds how many keys and values a token attends to. */
#define LEVEE_MAX_INNER 32768u

/* Names of the element types, in the order of their numbers. */
#define LEVEE_TYPE_NAMES "NONE", "INT4", "INT8", "INT16", "FP16", "FP32", "UINT32", "INT3"
