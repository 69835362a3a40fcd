// SPDX-License-Identifier: Apache-2.0
/* Registers and descriptor of argmax (plain C, shared with firmware). */
#pragma once

#include <stdint.h>

#define BLOCK_ARGMAX 2000u /* Number of the block in boot_info. */

#define ARGMAX_LANES 0x80u /* RO  number of elements compared per cycle */

enum argmax_opcode { ARGMAX_FIND = 1 };

/* FIND finds the first of the greatest among `count` FP32 elements at `from`, and writes a
 * struct argmax_result to `to`. A NaN is never greater than another element. */
struct argmax_operation {
    uint64_t from;
    uint64_t to;
    uint32_t count;    /* at least 1 */
    uint32_t reserved; /* must be 0 */
};

struct argmax_result {
    uint32_t index;
    float value;
};
