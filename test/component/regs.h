// SPDX-License-Identifier: Apache-2.0
/* Registers and descriptor of a memory that computes weighted sums of its contents (plain C,
 * shared with firmware). */
#pragma once

#include <stdint.h>

#define LEVEE_BLOCK_TALLY 1000u /* Number of this block in boot_info. */

#define LEVEE_TALLY_WEIGHTS 0x80u  /* RO  LEVEE_TALLY_MOST_WEIGHTS */
#define LEVEE_TALLY_SCRUBBED 0x84u /* RO  rows scrubbed since reset, wraps */

#define LEVEE_TALLY_MOST_WEIGHTS 48u

enum levee_tally_opcode { LEVEE_TALLY_WEIGH = 1 };

/* WEIGH adds up weights[i] times the i-th value, counted from `offset`, and writes the sum to `to`.
 * The weights do not fit in a descriptor, so all after the first few are in its continuation. */
struct levee_tally_operation {
    uint64_t offset; /* Offset of the first value (int32) in the data of the tally; a multiple of
                      * 4. */
    uint64_t to;     /* address of the sum, an int32 */
    uint32_t count;  /* Number of values, 1 to LEVEE_TALLY_MOST_WEIGHTS. */
    int32_t weights[LEVEE_TALLY_MOST_WEIGHTS]; /* Weights; unused ones are 0. */
    uint32_t reserved;                         /* must be 0 */
};
