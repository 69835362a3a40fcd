// SPDX-License-Identifier: Apache-2.0
/* Distribution of a matrix over the compute cores of a flash (plain C, shared with firmware).
 *
 * A tile has one part for each core of each channel. A part has core_rows x core_columns weights,
 * which are in one page. The parts form a grid with a row for each core of a channel, and a column
 * for each channel; parts are numbered row by row (Cambricon-LLM, figure 7).
 *
 * Tiles are numbered row by row. If the last columns of a matrix do not fill a tile, most channels
 * would be idle for them. A nonzero rest_shift gives these columns separate tiles, which are
 * narrower and taller by a factor of 2^rest_shift. These tiles follow all other tiles, also row by
 * row. */
#pragma once

#include "core/abi/model_image.h"

#include <stdint.h>

enum levee_flash_split {
    LEVEE_FLASH_SPLIT_SHARED = 0, /* Figure 7 b: the cores of a channel have the same columns but
                                     different rows, so they share their input. */
    LEVEE_FLASH_SPLIT_DIAGONAL =
        1 /* Figure 7 c: the cores of a channel have different columns, so they share no input. */
};

struct levee_flash_matrix {
    uint32_t channels;
    uint32_t cores;     /* Cores of a channel. */
    uint32_t split;     /* enum levee_flash_split */
    uint32_t core_rows; /* Rows of a part. */
    uint32_t core_columns;
    uint32_t rows;       /* Number of outputs of the matrix that the flash computes. */
    uint32_t columns;    /* Number of inputs of the matrix. */
    uint32_t rest_shift; /* 0: the last columns are in ordinary tiles. Otherwise core_columns is
                            a multiple of 2^rest_shift. */
};

/* Number of tiles of a matrix. */
struct levee_flash_tiling {
    uint32_t rows, columns;
    uint32_t rest_rows, rest_columns; /* Numbers of rows and columns of tiles for the last
                                       * columns. */
};

static inline uint64_t levee_flash_tiles_in(uint64_t size, uint64_t tile)
{
    return (size + tile - 1) / tile;
}

static inline struct levee_flash_tiling
levee_flash_tiling_of(const struct levee_flash_matrix* matrix)
{
    const uint64_t high = (uint64_t)matrix->cores * matrix->core_rows;
    const uint64_t wide = (uint64_t)matrix->channels * matrix->core_columns;
    struct levee_flash_tiling tiling = {(uint32_t)levee_flash_tiles_in(matrix->rows, high),
                                        (uint32_t)levee_flash_tiles_in(matrix->columns, wide), 0,
                                        0};
    const uint64_t rest = matrix->columns % wide;
    if (matrix->rest_shift == 0 || rest == 0)
        return tiling;
    --tiling.columns;
    tiling.rest_rows = (uint32_t)levee_flash_tiles_in(matrix->rows, high << matrix->rest_shift);
    tiling.rest_columns = (uint32_t)levee_flash_tiles_in(rest, wide >> matrix->rest_shift);
    return tiling;
}

static inline uint64_t levee_flash_tile_count(const struct levee_flash_tiling* tiling)
{
    return (uint64_t)tiling->rows * tiling->columns +
           (uint64_t)tiling->rest_rows * tiling->rest_columns;
}

/* First row and column of a tile, and the size of its parts. */
struct levee_flash_place {
    uint64_t row, column;
    uint32_t core_rows, core_columns;
};

static inline struct levee_flash_place levee_flash_place_of(const struct levee_flash_matrix* matrix,
                                                            const struct levee_flash_tiling* tiling,
                                                            uint64_t tile)
{
    const uint64_t high = (uint64_t)matrix->cores * matrix->core_rows;
    const uint64_t wide = (uint64_t)matrix->channels * matrix->core_columns;
    const uint64_t whole = (uint64_t)tiling->rows * tiling->columns;
    struct levee_flash_place place = {0, 0, matrix->core_rows, matrix->core_columns};
    if (tile < whole) {
        place.row = tile / tiling->columns * high;
        place.column = tile % tiling->columns * wide;
        return place;
    }
    const uint32_t shift = matrix->rest_shift;
    place.core_rows <<= shift;
    place.core_columns >>= shift;
    place.row = (tile - whole) / tiling->rest_columns * (high << shift);
    place.column = tiling->columns * wide + (tile - whole) % tiling->rest_columns * (wide >> shift);
    return place;
}

/* The part of the matrix in one core's page of one tile. If rows or columns is 0, the part is
 * empty and no page is read. */
struct levee_flash_part {
    uint32_t channel, core;
    uint32_t row, rows;
    uint32_t column, columns;
    uint32_t stride; /* Weights from the start of one row to the next within the page. */
};

static inline struct levee_flash_part levee_flash_part_of(const struct levee_flash_matrix* matrix,
                                                          const struct levee_flash_place* place,
                                                          uint32_t part)
{
    const uint32_t down = part / matrix->channels, across = part % matrix->channels;
    const uint32_t shifted = matrix->split == LEVEE_FLASH_SPLIT_DIAGONAL ? across + down : across;
    struct levee_flash_part found = {shifted % matrix->channels, down, 0, 0, 0, 0,
                                     place->core_columns};
    const uint64_t row = place->row + (uint64_t)down * place->core_rows;
    const uint64_t column = place->column + (uint64_t)across * place->core_columns;
    if (row >= matrix->rows || column >= matrix->columns)
        return found;
    found.row = (uint32_t)row;
    found.rows =
        matrix->rows - found.row < place->core_rows ? matrix->rows - found.row : place->core_rows;
    found.column = (uint32_t)column;
    found.columns = matrix->columns - found.column < place->core_columns
                        ? matrix->columns - found.column
                        : place->core_columns;
    return found;
}

/* Record of a matrix in the flash, for firmware (core/abi/model_image.h). Rows [0, flash_rows) are
 * in tiles, in the layout that COMPUTE uses. The other rows, row_bytes each, are consecutive in the
 * pages from data_page on (ip/flash/regs.h). */
struct levee_flash_kept {
    struct levee_kept_head head;
    uint32_t rows, columns, row_bytes; /* Sizes of the matrix; row_bytes as in the image. */
    uint32_t flash_rows;
    uint32_t core_rows, core_columns;
    uint32_t page; /* Number of the page of tile 0, in `plane`. */
    uint32_t data_page, data_pages;
    uint8_t plane, data_plane;
    uint8_t split;        /* enum levee_flash_split */
    uint8_t weight_bits;  /* 8 or 4 */
    uint8_t input_bytes;  /* Input size for which the matrix was divided. */
    uint8_t result_bytes; /* Result size for which the matrix was divided. */
    uint8_t result_shift; /* Power of two by which results shorter than 4 bytes are scaled. */
    uint8_t rest_shift;   /* Shift of the tiles for the last columns. */
};

/* Returns the tiled rows of a matrix on a flash with this many channels, and this many cores per
 * channel. */
static inline struct levee_flash_matrix
levee_flash_matrix_of_kept(const struct levee_flash_kept* kept, uint32_t channels, uint32_t cores)
{
    struct levee_flash_matrix matrix;
    matrix.channels = channels;
    matrix.cores = cores;
    matrix.split = kept->split;
    matrix.core_rows = kept->core_rows;
    matrix.core_columns = kept->core_columns;
    matrix.rows = kept->flash_rows;
    matrix.columns = kept->columns;
    matrix.rest_shift = kept->rest_shift;
    return matrix;
}
