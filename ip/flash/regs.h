// SPDX-License-Identifier: Apache-2.0
/* Flash that computes: registers and descriptor (plain C, shared with firmware).
 *
 * The queue's registers are those of every block (core/abi/command_regs.h); firmware finds the
 * shape here and places weights by it: a page has a channel, a die of the channel (with one compute
 * core), a plane of the die and a number in the plane. In the flash's address range page after page
 * follows in the order channel, die, plane, number. */
#pragma once

#include "ip/flash/layout.h"

#include <stdint.h>

#define LEVEE_BLOCK_FLASH 8u /* number of this block in boot_info */

#define LEVEE_FLASH_CHANNELS 0x80u     /* RO  */
#define LEVEE_FLASH_DIES 0x84u         /* RO  per channel; each has a compute core */
#define LEVEE_FLASH_PLANES 0x88u       /* RO  per die */
#define LEVEE_FLASH_PLANE_PAGES 0x8Cu  /* RO  per plane */
#define LEVEE_FLASH_BLOCK_PAGES 0x90u  /* RO  erased together */
#define LEVEE_FLASH_PAGE_BYTES 0x94u   /* RO  without the spare area */
#define LEVEE_FLASH_BUFFER_BYTES 0x98u /* RO  of a core: inputs and results */
#define LEVEE_FLASH_READ_NS 0x9Cu      /* RO  tR, rounded up */
#define LEVEE_FLASH_CHANNEL_MBPS 0xA0u /* RO  10^6 bytes a second of a channel, rounded down */
#define LEVEE_FLASH_CLAMPED 0xA4u      /* RO  values that decoding set to 0, wraps */
#define LEVEE_FLASH_CORRECTED 0xA8u    /* RO  protected values that decoding changed, wraps */
#define LEVEE_FLASH_DROPPED 0xACu      /* RO  records that decoding dropped, wraps */
#define LEVEE_FLASH_SATURATED 0xB0u    /* RO  results of one byte that saturated, wraps */
#define LEVEE_FLASH_WORST_CYCLES 0xB4u /* RO  erases of the most erased block */

enum levee_flash_opcode {
    LEVEE_FLASH_COMPUTE =
        1, /* product of a matrix in the cores with a vector; pages to memory meanwhile */
    LEVEE_FLASH_READ = 2,    /* pages to memory */
    LEVEE_FLASH_PROGRAM = 3, /* pages from memory; they must have been erased */
    LEVEE_FLASH_ERASE = 4,   /* blocks */
    LEVEE_FLASH_FETCH = 5    /* a matrix in tiles, and pages, to memory */
};

/* COMPUTE: result[r] = sum over c of weight[r][c] x input[c], with the weights that the dies
 * decode.
 *
 * The matrix is in tiles (ip/flash/layout.h), numbered row by row from 0. Tile t's page is
 * number `page` + t of plane `plane`, the same in every die that has a part of it; it holds
 * core_rows x core_columns weights, row by row, with zeroes where the matrix ends. A core's
 * partial sums go over the channel in `result_bytes` each: 4, exact; or 1 or 2, the sum /
 * 2^result_shift rounded to nearest (halves up), saturated to +-127 or +-32767. The NPU's side
 * adds them, times 2^result_shift, so the unit of the result is that of weight x input in either
 * case. It is int32 if inputs have 1 byte and int64 if they have 2. Sums that may exceed 4 bytes
 * are refused by their shape: columns, core_columns.
 *
 * With weight_scale the result is scaled as the systolic array scales its own (ip/rsa/regs.h),
 * in this order of single-precision operations: float(sum) * input_scale * weight_scale[r] +
 * bias[r], input_scale and bias left out where their address is 0; the sum may have any size
 * then.
 *
 * Pages to and from memory: page k, of `data_pages`, is in channel k mod channels, die (k /
 * channels) mod dies, plane `data_plane`, number data_page + k / (channels x dies). They follow
 * each other at `data`, which may be a stream port for READ and COMPUTE; the consumer then runs
 * at the same time. ERASE erases the blocks of these pages: data_page is the first of a block,
 * and data unused.
 *
 * FETCH reads the pages of the tiles, too, for a product with more vectors than one: at `data`
 * are first the `rows` of the tiles, in order, `row_bytes` apart, weights of 4 bits two a byte,
 * the low half first; then the pages. They are read as data pages are. The NPU's side puts rows
 * in order: its room for a row of tiles is not modelled. */
struct levee_flash_operation {
    uint64_t input;  /* COMPUTE: `columns` elements */
    uint64_t result; /* COMPUTE: `rows` elements */
    uint64_t data;   /* data_pages x page bytes, or a stream port */
    uint32_t rows;   /* COMPUTE, FETCH; others 0, as the fields below */
    uint32_t columns;
    uint32_t core_rows; /* core_rows x core_columns weights fit in a page */
    uint32_t core_columns;
    uint32_t page;       /* Page of tile 0. */
    uint32_t data_page;  /* Number of data page 0. */
    uint32_t data_pages; /* COMPUTE: may be 0 */
    uint8_t plane;
    uint8_t data_plane;
    uint8_t split;         /* enum levee_flash_split */
    uint8_t weight_bits;   /* 8, or 4: two a byte, the low half first */
    uint8_t input_bytes;   /* 1 or 2 */
    uint8_t result_bytes;  /* Bytes of a result on the channel: 1, 2 or 4. */
    uint8_t result_shift;  /* 0 to 31; of result_bytes 4 0 */
    uint8_t rest_shift;    /* Shift of the tiles for the last columns (ip/flash/layout.h); they,
                            * too, must fit a page and a core's buffer. */
    uint32_t row_bytes;    /* FETCH; others 0 */
    uint64_t input_scale;  /* FP32, 0: none; as the two below 0 without weight_scale */
    uint64_t weight_scale; /* FP32, one a row; 0: the result is an integer */
    uint64_t bias;         /* FP32, one a row; 0: none */
};
