// SPDX-License-Identifier: Apache-2.0
/* Division of a matrix between a flash that computes and the NPU, and into pages (Cambricon-LLM,
 * section V).
 *
 * A matrix of weights, outputs by inputs, is cut into tile rows. The first go to the flash, in
 * tiles of one page a compute core; the others are read by the NPU. Pure functions of integers, no
 * state. */
#pragma once

#include "ip/flash/layout.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flash as a tile sees it. Every member is at least 1. */
struct flash_shape {
    uint32_t channels;
    uint32_t cores;       /* per channel */
    uint32_t page_values; /* weights in a page */
};

struct flash_tile {
    uint32_t rows;         /* H, outputs */
    uint32_t columns;      /* W, inputs */
    uint32_t core_rows;    /* of a core's page */
    uint32_t core_columns; /* of a core's page */
};

/* Tile with the least transfer for a matrix with `matrix_columns` inputs: a core's columns are the
 * largest power of two up to sqrt(cores x page_values), or, for a narrow matrix, the smallest that
 * reaches its end. */
struct flash_tile flash_best_tile(const struct flash_shape* shape, uint32_t matrix_columns);
/* Tile whose cores have `core_columns` columns, 1 to page_values. */
struct flash_tile flash_tile_of(const struct flash_shape* shape, uint32_t core_columns);

/* Bytes of a tile on all channels together, in inputs of `input_bytes` and results of
 * `result_bytes` each: W + channels x H elements; under LEVEE_FLASH_SPLIT_DIAGONAL cores x W +
 * channels x H. */
uint64_t flash_tile_transfer(const struct flash_shape* shape, const struct flash_tile* tile,
                             enum levee_flash_split split, uint32_t input_bytes,
                             uint32_t result_bytes);

/* Shares of work are in units of 2^-30. */
#define FLASH_ALPHA_ONE (1u << 30)

/* Times of a tile as a channel's and an array's rates give them. */
struct flash_pace {
    uint64_t read_ps;                  /* tR */
    uint64_t channel_bytes_per_second; /* of one channel */
    uint32_t page_bytes;               /* on the channel, of a page that is read */
    uint32_t input_bytes;              /* of an element */
    uint32_t result_bytes;             /* of an element */
};

/* Share of the flash at which read-computes and reads of the NPU's share end together: n t_r / (n
 * t_r + t_rc) with n cores a channel, t_rc = tR + input, t_r = a page on what read-computes leave
 * of the channel. FLASH_ALPHA_ONE if they leave nothing. */
uint32_t flash_alpha_balanced(const struct flash_shape* shape, const struct flash_tile* tile,
                              const struct flash_pace* pace);
/* The same without n, as section V-B prints it. */
uint32_t flash_alpha_printed(const struct flash_shape* shape, const struct flash_tile* tile,
                             const struct flash_pace* pace);

/* A matrix, divided. */
struct flash_map {
    struct flash_shape shape;
    struct flash_tile tile;
    enum levee_flash_split split;
    uint32_t rows, columns; /* of the matrix */
    uint32_t flash_rows;    /* the first ones: whole tile rows, or all */
    uint32_t tile_rows;     /* tiles one below the other: alpha x rows / H, rounded up */
    uint32_t tile_columns;  /* tiles side by side */
    uint64_t flash_pages;   /* pages of tiles that have a weight of the matrix */
    uint64_t npu_pages;     /* the rest of the matrix, row by row */
    uint64_t padding;       /* weights in all these pages that are none of the matrix */
};

/* `alpha` up to FLASH_ALPHA_ONE; rows and columns at least 1. */
struct flash_map flash_divide(const struct flash_shape* shape, const struct flash_tile* tile,
                              enum levee_flash_split split, uint32_t rows, uint32_t columns,
                              uint32_t alpha);

/* Part `part` of a tile: below cores x channels, row by row. */
struct levee_flash_part flash_tile_part(const struct flash_map* map, uint32_t tile_row,
                                        uint32_t tile_column, uint32_t part);

/* Weights in page `page` of the NPU's share: `count` from the one at `first`, counted row by row
 * from the matrix's begin. */
struct flash_run {
    uint64_t first;
    uint32_t count;
};
struct flash_run flash_npu_page(const struct flash_map* map, uint64_t page);

#ifdef __cplusplus
}
#endif
