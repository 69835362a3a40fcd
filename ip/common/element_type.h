// SPDX-License-Identifier: Apache-2.0
/* Element types of tensors (plain C, shared with firmware). */
#pragma once

/* Element types of tensors. INT4 is two per byte, low nibble first. */
enum levee_type {
    LEVEE_TYPE_NONE = 0,
    LEVEE_TYPE_INT4 = 1,
    LEVEE_TYPE_INT8 = 2,
    LEVEE_TYPE_INT16 = 3,
    LEVEE_TYPE_FP16 = 4,
    LEVEE_TYPE_FP32 = 5,
    LEVEE_TYPE_UINT32 = 6
};
