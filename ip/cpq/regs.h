// SPDX-License-Identifier: Apache-2.0
/* Cascade pruning and quantisation of keys and values (Titanus, section IV): registers and
 * operations (plain C, shared with firmware). README.md states the rules. */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "ip/cpq/rows.h"

#define LEVEE_BLOCK_CPQ 74u /* number of this block in boot_info */

#define LEVEE_CPQ_SZ_BYTES 0x80u /* RO  of the scale-zero buffer, the low 32 bits */
#define LEVEE_CPQ_SZ_BYTES_HI 0x84u

/* Bytes of a table in the scale-zero buffer: a step and a zero for each level of each channel,
 * and the last level's range and reciprocal. */
#define LEVEE_CPQ_LEVEL_BYTES 8u
#define LEVEE_CPQ_CHANNEL_BYTES 12u
#define LEVEE_CPQ_TABLE_BYTES(channels, levels)                                                    \
    ((uint64_t)(channels) * ((uint64_t)(levels)*LEVEE_CPQ_LEVEL_BYTES + LEVEE_CPQ_CHANNEL_BYTES))

#define LEVEE_CPQ_MOST_BITS 8u
#define LEVEE_CPQ_MOST_LEVELS 64u

enum levee_cpq_opcode {
    LEVEE_CPQ_COMPRESS = 1,
    LEVEE_CPQ_EXPAND = 2,
    LEVEE_CPQ_RESET = 3 /* resets the `outer` tables from `table` on */
};

/* levee_cpq_operation.flags */
/* COMPRESS: the tables are reset first, and level 0 of each covers the survivors of these rows. */
#define LEVEE_CPQ_OPEN 0x1u

/* A row is `vectors` vectors of `vector` elements, [o0][slot][vector]; o0 (a sequence) has a
 * table of its own, table + o0 * table_step; table_step is not 0 where there are several.
 *
 * COMPRESS: rows first, first + 1, ... of `data` become packed rows of the same numbers, in this
 * order. first is the word at slots + o0 * slots_stride (slots 0: 0). Their number is the word
 * at lengths + o0 * lengths_stride less `length_less` (lengths 0: `rows`).
 *
 * EXPAND: the same number of packed rows is read, and rows of `data` from the first on are
 * written. The packed rows have the numbers 0, 1, ... or, if slots is not 0, those in the words
 * at slots + o0 * slots_stride, slots + o0 * slots_stride + 4, ...
 *
 * No number of rows is greater than `rows`; 0 is allowed. bits, max_levels and tolerance are
 * those that COMPRESS first used a table with since it was reset. LEVEE_ERROR_FIELD of `table`
 * where it lies beyond the scale-zero buffer or does not fit beside the tables in use, of
 * `records` or `packed` where EXPAND finds no packed row. signal_every counts o0. */
struct levee_cpq_operation {
    uint64_t data;            /* FP32 or INT16 */
    uint64_t scale;           /* INT16: FP32, one a vector */
    uint64_t packed;          /* bytes */
    uint64_t records;         /* struct levee_cpq_record, a row */
    uint64_t slots;           /* 32-bit words */
    uint64_t lengths;         /* a 32-bit word for each o0 */
    int32_t data_stride[3];   /* o0, row, vector */
    int32_t scale_stride[3];  /* o0, row, vector */
    int32_t packed_stride[2]; /* Strides of o0 and of rows, at least the largest size of a row. */
    int32_t records_stride;   /* o0 */
    int32_t slots_stride;     /* o0 */
    uint16_t lengths_stride;  /* o0 */
    uint16_t outer;           /* o0: at least 1 */
    uint32_t rows;
    uint32_t length_less;
    uint16_t vectors, vector;
    uint8_t type; /* type of the data: enum levee_type */
    uint8_t bits;
    uint8_t max_levels;
    uint8_t flags;
    uint32_t table, table_step;
    float threshold; /* COMPRESS */
    float tolerance;
};

#ifdef __cplusplus
static_assert(sizeof(levee_cpq_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_cpq_operation) <= 176, "fits the descriptor");
#endif
