// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of cascade pruning and quantisation of keys and values (Titanus,
 * section IV; plain C, shared with firmware). README.md states the rules. */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"
#include "ip/cpq/rows.h"

#define LEVEE_BLOCK_CPQ 74u

#define LEVEE_CPQ_SZ_BYTES 0x80u /* RO  bytes of the scale-zero buffer, low 32 bits */
#define LEVEE_CPQ_SZ_BYTES_HI 0x84u

/* Bytes of a table in the scale-zero buffer. A table contains a step and a zero for each level of
 * each channel. For each channel, it also contains the last level's range and reciprocal. */
#define LEVEE_CPQ_LEVEL_BYTES 8u
#define LEVEE_CPQ_CHANNEL_BYTES 12u
#define LEVEE_CPQ_TABLE_BYTES(channels, levels)                                                    \
    ((uint64_t)(channels) * ((uint64_t)(levels)*LEVEE_CPQ_LEVEL_BYTES + LEVEE_CPQ_CHANNEL_BYTES))

#define LEVEE_CPQ_MOST_BITS 8u
#define LEVEE_CPQ_MOST_LEVELS 64u

enum levee_cpq_opcode {
    LEVEE_CPQ_COMPRESS = 1,
    LEVEE_CPQ_EXPAND = 2,
    LEVEE_CPQ_RESET = 3 /* Resets the `outer` tables from `table` on. */
};

/* Values of levee_cpq_operation.flags. */
/* COMPRESS: first resets the operation's tables. Level 0 of each channel then covers the survivors
 * of these rows. */
#define LEVEE_CPQ_OPEN 0x1u

/* A row consists of `vectors` vectors of `vector` elements, [o0][slot][vector]. o0 numbers the
 * sequences; sequence o0 uses table `table` + o0 * table_step. table_step must not be 0 if there
 * are several sequences.
 *
 * COMPRESS: rows first, first + 1, ... of `data` become packed rows with the same numbers. first is
 * the word at slots + o0 * slots_stride, or 0 if slots is 0. The number of rows is the word at
 * lengths + o0 * lengths_stride minus `length_less`, or `rows` if lengths is 0.
 *
 * EXPAND reads the same number of packed rows, and writes rows of `data` from the first one on. If
 * slots is 0, the packed rows have the numbers 0, 1, ... Otherwise, their numbers are the words at
 * slots + o0 * slots_stride, slots + o0 * slots_stride + 4, ...
 *
 * The number of rows is at most `rows` and may be 0. bits, max_levels and tolerance must be the
 * same as in the first COMPRESS after the table's last reset. LEVEE_ERROR_FIELD names `table` if
 * the table is outside the scale-zero buffer or does not fit in it with the tables in use. It names
 * `records` or `packed` if EXPAND finds no packed row. signal_every counts o0. */
struct levee_cpq_operation {
    uint64_t data;            /* FP32 or INT16 */
    uint64_t scale;           /* INT16: address of FP32 scales, one per vector */
    uint64_t packed;          /* bytes */
    uint64_t records;         /* address of a struct levee_cpq_record per row */
    uint64_t slots;           /* 32-bit words */
    uint64_t lengths;         /* address of a 32-bit word for each o0 */
    int32_t data_stride[3];   /* by o0, row, vector */
    int32_t scale_stride[3];  /* by o0, row, vector */
    int32_t packed_stride[2]; /* by o0, row; between rows at least the largest row's size */
    int32_t records_stride;   /* by o0 */
    int32_t slots_stride;     /* by o0 */
    uint16_t lengths_stride;  /* by o0 */
    uint16_t outer;           /* iterations of the outer loop o0, at least 1 */
    uint32_t rows;
    uint32_t length_less;
    uint16_t vectors, vector;
    uint8_t type; /* type of the data: enum levee_type */
    uint8_t bits;
    uint8_t max_levels;
    uint8_t flags;
    uint32_t table, table_step;
    float threshold; /* COMPRESS: smaller magnitudes are pruned */
    float tolerance;
};

#ifdef __cplusplus
static_assert(sizeof(levee_cpq_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_cpq_operation) <= 176, "must fit the descriptor");
#endif
