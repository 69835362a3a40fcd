// SPDX-License-Identifier: Apache-2.0
/* Which core has which part of a matrix (plain C, shared with firmware).
 *
 * A tile is channels x cores parts of core_rows x core_columns weights, each a page. Parts are
 * numbered row by row: `down` of them below each other, one for each core of a channel, `across`
 * side by side, one for each channel (Cambricon-LLM, figure 7). */
#pragma once

#include <stdint.h>

enum levee_flash_split {
    LEVEE_FLASH_SPLIT_SHARED =
        0, /* figure 7 b: a channel has columns, its cores rows: they share their input */
    LEVEE_FLASH_SPLIT_DIAGONAL =
        1 /* figure 7 c: cores of a channel have different columns: no input is shared */
};

struct levee_flash_matrix {
    uint32_t channels;
    uint32_t cores;     /* per channel */
    uint32_t split;     /* enum levee_flash_split */
    uint32_t core_rows; /* of a page */
    uint32_t core_columns;
    uint32_t rows;    /* of the matrix in the flash, outputs */
    uint32_t columns; /* of the matrix, inputs */
};

/* Part of the matrix in the page of one core in one tile; no rows or no columns: it has none, and
 * no page is read. */
struct levee_flash_part {
    uint32_t channel, core;
    uint32_t row, rows;
    uint32_t column, columns;
};

static inline struct levee_flash_part levee_flash_part_of(const struct levee_flash_matrix* matrix,
                                                          uint32_t tile_row, uint32_t tile_column,
                                                          uint32_t part)
{
    const uint32_t down = part / matrix->channels, across = part % matrix->channels;
    const uint32_t shifted = matrix->split == LEVEE_FLASH_SPLIT_DIAGONAL ? across + down : across;
    struct levee_flash_part found = {shifted % matrix->channels, down, 0, 0, 0, 0};
    const uint64_t row = ((uint64_t)tile_row * matrix->cores + down) * matrix->core_rows;
    const uint64_t column =
        ((uint64_t)tile_column * matrix->channels + across) * matrix->core_columns;
    if (row >= matrix->rows || column >= matrix->columns)
        return found;
    found.row = (uint32_t)row;
    found.rows =
        matrix->rows - found.row < matrix->core_rows ? matrix->rows - found.row : matrix->core_rows;
    found.column = (uint32_t)column;
    found.columns = matrix->columns - found.column < matrix->core_columns
                        ? matrix->columns - found.column
                        : matrix->core_columns;
    return found;
}
