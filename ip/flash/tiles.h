// SPDX-License-Identifier: Apache-2.0
/* Division of a matrix between a flash that computes and the NPU, and into pages (Cambricon-LLM,
 * section V).
 *
 * A matrix of weights, outputs by inputs, is cut into tile rows. The first rows go to the flash,
 * in tiles with one page for each compute core; the NPU reads the others. All functions are
 * pure, on integers.
 *
 * Two rules choose a tile. The rule of section V-A minimises the transfer, whatever the matrix.
 * If the width is not a multiple of the tile's, the last tiles take a whole tile's time on few
 * channels. flash_fastest() compares times, matrix by matrix. */
#pragma once

#include "ip/flash/layout.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flash as a tile sees it. Every member is at least 1. */
struct flash_shape {
    uint32_t channels;
    uint32_t cores;       /* Cores of a channel. */
    uint32_t page_values; /* weights in a page */
};

struct flash_tile {
    uint64_t rows;         /* H, outputs */
    uint64_t columns;      /* W, inputs */
    uint32_t core_rows;    /* Rows of a core's page. */
    uint32_t core_columns; /* Columns of a core's page. */
    uint32_t rest_shift;   /* Shift of the tiles for the last columns (ip/flash/layout.h). */
};

/* Tile with the least transfer for a matrix with `matrix_columns` inputs. A core's columns are
 * the largest power of two up to sqrt(cores x page_values). For a narrow matrix they are the
 * smallest power of two that covers it. */
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

/* Times of a tile as a channel's, an array's and a core's rates give them. */
struct flash_pace {
    uint64_t read_ps;                  /* tR */
    uint64_t channel_bytes_per_second; /* Rate of one channel. */
    uint64_t core_macs_per_second;     /* 0: no cores */
    uint32_t page_bytes;               /* Bytes on the channel for a page that is read. */
    uint32_t slice_bytes;              /* Longest transfer for which a tile's input waits; 0: a
                                        * page. */
    uint32_t buffer_bytes;             /* Buffer of a core. */
    uint32_t input_bytes;              /* Bytes of an input element. */
    uint32_t result_bytes;             /* Bytes of a result element. */
    uint32_t in_flight;                /* tiles between their input and their result */
    uint32_t input_ahead;              /* 1: inputs are sent while planes sense */
    uint32_t reads_beside;             /* 1: a die's other planes sense for the NPU meanwhile */
};

/* Rule for the share of a matrix that the cores compute. */
enum flash_share {
    FLASH_SHARE_BALANCED, /* cores and reads of the rest end together */
    FLASH_SHARE_PRINTED,  /* Section V-B's formula as printed, without the number of cores. */
    FLASH_SHARE_FIXED
};

/* Share of the flash at which read-computes and reads of the NPU's share end together: n t_r / (n
 * t_r + t_rc) with n cores a channel, t_rc = tR + input, t_r = a page on what read-computes leave
 * of the channel, but at least tR / n, if `columns` are a multiple of the tile's. If not, t_rc is
 * what a whole tile's weights take, the last columns' tiles included. FLASH_ALPHA_ONE if
 * read-computes leave nothing.
 */
uint32_t flash_alpha_balanced(const struct flash_shape* shape, const struct flash_tile* tile,
                              const struct flash_pace* pace, uint32_t columns);
/* The same without n and without the last columns, as section V-B prints it. */
uint32_t flash_alpha_printed(const struct flash_shape* shape, const struct flash_tile* tile,
                             const struct flash_pace* pace);

/* A matrix, divided. */
struct flash_map {
    struct flash_shape shape;
    struct flash_tile tile;
    enum levee_flash_split split;
    uint32_t rows, columns; /* Sizes of the matrix. */
    uint32_t flash_rows;    /* First rows: whole tile rows, or all. */
    uint64_t tiles;         /* Tiles that have a weight of the matrix. */
    uint64_t flash_pages;   /* pages of tiles that have a weight of the matrix */
    uint64_t npu_pages;     /* the rest of the matrix, row by row */
    uint64_t padding;       /* weights in all these pages that are none of the matrix */
    uint64_t idle_channels; /* channels without a weight, over all tiles */
};

/* `alpha` up to FLASH_ALPHA_ONE, rounded up to whole tile rows; rows and columns at least 1. */
struct flash_map flash_divide(const struct flash_shape* shape, const struct flash_tile* tile,
                              enum levee_flash_split split, uint32_t rows, uint32_t columns,
                              uint32_t alpha);
/* The part of `map` in the flash, as COMPUTE describes it. */
struct levee_flash_matrix flash_matrix_of(const struct flash_map* map);

/* Time of a product by these rates: that of the tiles, one after another, with the slices that
 * their inputs wait for and the last one's computation and results; or of the channel's bytes, if
 * that is longer. */
uint64_t flash_time_ps(const struct flash_map* map, const struct flash_pace* pace);

/* Whether a page and a core's buffer have room for a tile, and for the tile of the last columns. */
int flash_tile_fits(const struct flash_shape* shape, const struct flash_tile* tile,
                    const struct flash_pace* pace);

struct flash_request {
    struct flash_shape shape;
    struct flash_pace pace;
    enum levee_flash_split split;
    enum flash_share share;
    uint32_t alpha; /* For FLASH_SHARE_FIXED. */
    uint32_t rows, columns;
    uint32_t most_columns; /* Columns of a core, at least 1; with more, a sum could overflow. */
};

/* Share of the cores by the request's rule, for a tile. */
uint32_t flash_alpha(const struct flash_request* request, const struct flash_tile* tile);
/* Section V-A's tile, halved in width until a core's buffer holds its input, with as many rows as
 * it holds results. */
struct flash_tile flash_least_transfer(const struct flash_request* request);
/* Division with the least time. Candidates are all tiles whose cores have a power of two of
 * columns, each with all narrower tiles for the last columns; for a balanced share, also its
 * tile rows rounded up or down. Among equals the one nearest to section V-A's tile wins, then
 * the first. */
struct flash_map flash_fastest(const struct flash_request* request);

/* Weights in page `page` of the NPU's share: `count` weights from the one at `first`, counted
 * row by row from the matrix's begin. */
struct flash_run {
    uint64_t first;
    uint32_t count;
};
struct flash_run flash_npu_page(const struct flash_map* map, uint64_t page);

#ifdef __cplusplus
}
#endif
