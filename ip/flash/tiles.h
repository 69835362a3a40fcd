// SPDX-License-Identifier: Apache-2.0
/* Division of a matrix between a flash that computes and the NPU, and into pages (Cambricon-LLM,
 * section V).
 *
 * A matrix of outputs x inputs is cut into rows of tiles. The flash computes the first rows;
 * each tile has one page for each compute core. The NPU reads the other rows. All functions are
 * pure and work on integers.
 *
 * Two rules choose a tile. The rule of section V-A minimises the bytes transferred, regardless of
 * the matrix. If the matrix's width is not a multiple of the tile's width, the last tiles take as
 * long as full tiles but use few channels. flash_fastest() instead compares the times of many
 * divisions for each matrix. */
#pragma once

#include "ip/flash/layout.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Properties of the flash that determine the choice of a tile. Every member is at least 1. */
struct flash_shape {
    uint32_t channels;
    uint32_t cores;       /* Cores of a channel. */
    uint32_t page_values; /* Weights that fit in a page. */
};

struct flash_tile {
    uint64_t rows;         /* outputs of the tile (H) */
    uint64_t columns;      /* inputs of the tile (W) */
    uint32_t core_rows;    /* Rows of a core's part of the tile. */
    uint32_t core_columns; /* Columns of a core's part of the tile. */
    uint32_t rest_shift;   /* Shift of the tiles for the last columns (ip/flash/layout.h). */
};

/* Returns the tile with the least transfer for a matrix with `matrix_columns` inputs. The number of
 * columns per core is the largest power of two that is at most sqrt(cores x page_values). For a
 * narrow matrix, it is the smallest power of two with which the tile covers the matrix. */
struct flash_tile flash_best_tile(const struct flash_shape* shape, uint32_t matrix_columns);
/* Returns the tile whose cores have `core_columns` columns, 1 to page_values. */
struct flash_tile flash_tile_of(const struct flash_shape* shape, uint32_t core_columns);

/* Bytes that a tile needs on all channels together: W inputs and channels x H results, or cores x W
 * inputs and channels x H results with LEVEE_FLASH_SPLIT_DIAGONAL. An input has `input_bytes`
 * bytes, a result `result_bytes`. */
uint64_t flash_tile_transfer(const struct flash_shape* shape, const struct flash_tile* tile,
                             enum levee_flash_split split, uint32_t input_bytes,
                             uint32_t result_bytes);

/* Value 1 of a share. Shares are fixed-point numbers in units of 2^-30. */
#define FLASH_ALPHA_ONE (1u << 30)

/* Rates of channels, arrays and cores, which determine the time of a tile. */
struct flash_pace {
    uint64_t read_ps;                  /* time to sense a page (tR) */
    uint64_t channel_bytes_per_second; /* Rate of one channel. */
    uint64_t core_macs_per_second;     /* 0: no cores */
    uint32_t page_bytes;               /* Bytes on the channel for a page that is read. */
    uint32_t slice_bytes;              /* Longest transfer that a tile's input may have to wait
                                          for; 0: a page. */
    uint32_t buffer_bytes;             /* Buffer of a core. */
    uint32_t input_bytes;              /* Bytes of an input element. */
    uint32_t result_bytes;             /* Bytes of a result element. */
    uint32_t in_flight;                /* Maximum number of read-computes of a die whose input has
                                        * been received and whose computation has not ended. */
    uint32_t input_ahead;              /* 1: the next input may be sent while planes sense. */
    uint32_t reads_beside;             /* 1: other planes of a die can sense for the NPU during a
                                          computation. */
};

/* Rule for the share of a matrix that the cores compute. */
enum flash_share {
    FLASH_SHARE_BALANCED, /* The cores' computation and the NPU's reads end together. */
    FLASH_SHARE_PRINTED,  /* Section V-B's formula as printed, which omits the number of cores. */
    FLASH_SHARE_FIXED
};

/* Returns the cores' share at which read-computes and the NPU's reads end together: n t_r / (n t_r
 * + t_rc), with n cores in a channel. t_rc is tR plus the input transfer. t_r is the transfer time
 * of a page with the bandwidth that read-computes leave, but at least tR / n. If `columns` is not a
 * multiple of the tile's columns, t_rc is an average: the time of all tiles, including those of the
 * last columns, per full tile of weights. The result is FLASH_ALPHA_ONE if read-computes leave no
 * bandwidth. */
uint32_t flash_alpha_balanced(const struct flash_shape* shape, const struct flash_tile* tile,
                              const struct flash_pace* pace, uint32_t columns);
/* Section V-B's formula as printed, without n. The formula ignores incomplete last columns. */
uint32_t flash_alpha_printed(const struct flash_shape* shape, const struct flash_tile* tile,
                             const struct flash_pace* pace);

/* The result of dividing a matrix. */
struct flash_map {
    struct flash_shape shape;
    struct flash_tile tile;
    enum levee_flash_split split;
    uint32_t rows, columns; /* Sizes of the matrix. */
    uint32_t flash_rows;    /* Rows in the flash: whole rows of tiles, or all rows. */
    uint64_t tiles;         /* Tiles with at least one weight of the matrix. */
    uint64_t flash_pages;   /* Pages of tiles with at least one weight of the matrix. */
    uint64_t npu_pages;     /* Pages that contain the other rows, row by row. */
    uint64_t padding;       /* Positions in all these pages that hold no weight of the matrix. */
    uint64_t idle_channels; /* Channels without a weight, summed over all tiles. */
};

/* Divides a matrix. The flash gets the share `alpha`, at most FLASH_ALPHA_ONE, of the rows, rounded
 * up to whole rows of tiles. rows and columns are at least 1. */
struct flash_map flash_divide(const struct flash_shape* shape, const struct flash_tile* tile,
                              enum levee_flash_split split, uint32_t rows, uint32_t columns,
                              uint32_t alpha);
/* Returns the part of `map` in the flash, in the form that layout.h uses. */
struct levee_flash_matrix flash_matrix_of(const struct flash_map* map);

/* Estimated time of a product: the longest of the transfer of all bytes on a channel, the NPU's
 * page reads, and all tiles in sequence. The time of tiles includes the slices that inputs wait
 * for, and the last tile's computation and results. Without reads_beside, the page reads follow the
 * tiles. */
uint64_t flash_time_ps(const struct flash_map* map, const struct flash_pace* pace);

/* Whether a tile, and the tile of the last columns, fit a page and a core's buffer. */
int flash_tile_fits(const struct flash_shape* shape, const struct flash_tile* tile,
                    const struct flash_pace* pace);

struct flash_request {
    struct flash_shape shape;
    struct flash_pace pace;
    enum levee_flash_split split;
    enum flash_share share;
    uint32_t alpha; /* the cores' share, for FLASH_SHARE_FIXED */
    uint32_t rows, columns;
    uint32_t most_columns; /* Largest number of columns per core, at least 1; with more columns, a
                              sum of products could overflow. */
};

/* Returns the cores' share for a tile, by the request's rule. */
uint32_t flash_alpha(const struct flash_request* request, const struct flash_tile* tile);
/* Returns section V-A's tile. Its width is halved until the input fits in a core's buffer; its
 * height is the number of results that then fit. */
struct flash_tile flash_least_transfer(const struct flash_request* request);
/* Returns the division with the shortest time. Candidates are all tiles in which the number of
 * columns per core is a power of two, combined with all narrower tiles for the last columns. For a
 * balanced share, the number of tile rows is rounded up and down. Ties go to the tile closest to
 * section V-A's tile, then to the first candidate. */
struct flash_map flash_fastest(const struct flash_request* request);

/* Contents of one page of the NPU's share: `count` weights, starting at weight `first` of the
 * matrix in row-major order. */
struct flash_run {
    uint64_t first;
    uint32_t count;
};
struct flash_run flash_npu_page(const struct flash_map* map, uint64_t page);

#ifdef __cplusplus
}
#endif
