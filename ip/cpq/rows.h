// SPDX-License-Identifier: Apache-2.0
/* Layout of packed rows of keys and values in memory, for code that places them (plain C). */
#pragma once

#include <stdint.h>

/* Largest size of a packed row: label width, index, codes, labels. */
#define LEVEE_CPQ_ROW_BYTES(channels, bits, label_bits)                                            \
    (1u + ((channels) + 7u) / 8u + ((channels) * (bits) + 7u) / 8u +                               \
     ((channels) * (label_bits) + 7u) / 8u)

/* The record of a row, next to it. A packed row's index gives its length; timing-only runs use
 * the records. They are read and written with the descriptor, without traffic. */
struct levee_cpq_record {
    uint32_t bytes;     /* bytes of the packed row */
    uint32_t non_zeros; /* values stored */
    uint32_t survivors; /* values that survive pruning */
    uint32_t opened;    /* levels; in the first row of an OPEN, level 0 of each channel as well */
    uint32_t clamped;   /* values beyond the last level that there may be */
    uint32_t levels;    /* the most of a channel, after this row */
};
