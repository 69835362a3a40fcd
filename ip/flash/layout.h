// SPDX-License-Identifier: Apache-2.0
/* Which core has which part of a matrix (plain C, shared with firmware).
 *
 * A tile is channels x cores parts of core_rows x core_columns weights, each a page. Parts are
 * numbered row by row: `down` of them below each other, one for each core of a channel, `across`
 * side by side, one for each channel (Cambricon-LLM, figure 7). */
#pragma once

#include "ip/common/model_image.h"

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

/* A matrix that the flash keeps, as firmware finds it (ip/common/model_image.h): rows
 * [0, flash_rows) in tiles, as a COMPUTE descriptor describes them, the others in pages from
 * data_page on, one row after another, row_bytes each (ip/flash/regs.h). */
struct levee_flash_kept {
    struct levee_kept_head head;
    uint32_t rows, columns, row_bytes; /* of the matrix; row_bytes as in the image */
    uint32_t flash_rows;
    uint32_t core_rows, core_columns;
    uint32_t page; /* of tile 0, in `plane` */
    uint32_t data_page, data_pages;
    uint8_t plane, data_plane;
    uint8_t split;        /* enum levee_flash_split */
    uint8_t weight_bits;  /* 8 or 4 */
    uint8_t input_bytes;  /* that the division assumes */
    uint8_t result_bytes; /* likewise, on the channel */
    uint8_t result_shift; /* of results of fewer than 4 bytes */
    uint8_t reserved;
};
