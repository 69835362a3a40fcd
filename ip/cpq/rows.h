// SPDX-License-Identifier: Apache-2.0
/* Layout of packed rows of keys and values in memory, for code that places them (plain C). */
#pragma once

#include <stdint.h>

/* Largest size of a packed row: label width, index, codes, labels. */
#define LEVEE_CPQ_ROW_BYTES(channels, bits, label_bits)                                            \
    (1u + ((channels) + 7u) / 8u + ((channels) * (bits) + 7u) / 8u +                               \
     ((channels) * (label_bits) + 7u) / 8u)

/* Record of a packed row, stored separately from the row. In functional runs, the row's own index
 * also determines its length; timing-only runs need the record. Reading and writing records causes
 * no traffic. */
struct levee_cpq_record {
    uint32_t bytes;     /* bytes of the packed row */
    uint32_t non_zeros; /* number of values stored */
    uint32_t survivors; /* number of values that survive pruning */
    uint32_t opened;    /* Levels opened; the first row of an OPEN also counts level 0 of each
                           channel. */
    uint32_t clamped;   /* Values beyond the last permitted level. */
    uint32_t levels;    /* Largest number of levels of any channel after this row. */
};
