// SPDX-License-Identifier: Apache-2.0
/* Registers and descriptor of a flash that computes (plain C, shared with firmware).
 *
 * The queue registers are those of every block (core/abi/command_regs.h). The other registers
 * contain the geometry of the flash, which firmware needs to place weights, and counters. A page is
 * identified by its channel, a die of the channel (with one compute core), a plane of the die, and
 * a number in the plane. From one page to the next in the address range, the channel changes
 * fastest, then the die, the plane and the number. */
#pragma once

#include "ip/flash/layout.h"

#include <stdint.h>

#define LEVEE_BLOCK_FLASH 8u /* Number of this block in boot_info. */

#define LEVEE_FLASH_CHANNELS 0x80u     /* RO  number of channels */
#define LEVEE_FLASH_DIES 0x84u         /* RO  dies of a channel; each has a compute core */
#define LEVEE_FLASH_PLANES 0x88u       /* RO  planes of a die */
#define LEVEE_FLASH_PLANE_PAGES 0x8Cu  /* RO  pages of a plane */
#define LEVEE_FLASH_BLOCK_PAGES 0x90u  /* RO  pages of a block, which are erased together */
#define LEVEE_FLASH_PAGE_BYTES 0x94u   /* RO  bytes of a page, without its spare area */
#define LEVEE_FLASH_BUFFER_BYTES 0x98u /* RO  bytes of a core's buffer, for inputs and results */
#define LEVEE_FLASH_READ_NS 0x9Cu      /* RO  time to sense a page (tR) in ns, rounded up */
#define LEVEE_FLASH_CHANNEL_MBPS 0xA0u /* RO  10^6 bytes/s of a channel, rounded down */
#define LEVEE_FLASH_CLAMPED 0xA4u      /* RO  values that decoding set to 0; wraps around */
#define LEVEE_FLASH_CORRECTED 0xA8u    /* RO  corrected protected values; wraps around */
#define LEVEE_FLASH_DROPPED 0xACu      /* RO  records that decoding dropped; wraps around */
#define LEVEE_FLASH_SATURATED 0xB0u    /* RO  short results that saturated; wraps around */
#define LEVEE_FLASH_WORST_CYCLES 0xB4u /* RO  number of erases of the most erased block */

enum levee_flash_opcode {
    LEVEE_FLASH_COMPUTE =
        1, /* The cores multiply a matrix by a vector, while other pages are read to memory. */
    LEVEE_FLASH_READ = 2,    /* Reads pages to memory. */
    LEVEE_FLASH_PROGRAM = 3, /* Programs pages from memory. The pages must be erased. */
    LEVEE_FLASH_ERASE = 4,   /* Erases blocks. */
    LEVEE_FLASH_FETCH = 5    /* Reads a matrix in tiles, and further pages, to memory. */
};

/* COMPUTE: result[r] = sum over c of weight[r][c] x input[c]. Cores use the weights that the dies'
 * decoders output.
 *
 * The matrix is divided into tiles (ip/flash/layout.h), numbered row by row from 0. Tile t is in
 * the page with number `page` + t of plane `plane`, in every die that has a part of the tile. Each
 * of these pages holds core_rows x core_columns weights, row by row. Weights beyond the end of the
 * matrix are zero.
 *
 * A core sends its partial sums over the channel with `result_bytes` bytes each. With 4 bytes they
 * are exact. With 1 or 2 bytes the core sends sum / 2^result_shift, rounded to nearest (halves up)
 * and saturated to +-127 or +-32767. The NPU multiplies these by 2^result_shift before it adds
 * them, so the result always has the unit of weight x input. The result is int32 for 1-byte inputs
 * and int64 for 2-byte inputs. A descriptor is refused if `columns` or `core_columns` are so large
 * that sums may need more than 4 bytes.
 *
 * If weight_scale is not 0, the result is scaled as in the systolic array (ip/rsa/regs.h), in
 * this order of single-precision operations: float(sum) * input_scale * weight_scale[r] +
 * bias[r]. An address of 0 omits input_scale or bias. The sum may then have any size.
 *
 * Data pages are read to memory or programmed from it. Page k of `data_pages` is in channel k mod
 * channels, die (k / channels) mod dies, plane `data_plane`, with number data_page + k / (channels
 * x dies). In memory, the pages are consecutive at `data`. READ and COMPUTE may write to a stream
 * port instead; the port's consumer then runs at the same time. ERASE erases the blocks of these
 * pages: data_page is the first page of a block, and `data` is unused.
 *
 * FETCH also reads the tiles, for products with more than one vector. It first writes the `rows`
 * matrix rows of the tiles to `data`, in order and `row_bytes` apart; two 4-bit weights share a
 * byte, the low half first. The data pages follow. Tiles are read like data pages. The NPU
 * assembles the rows; its buffer for this is not modelled. */
struct levee_flash_operation {
    uint64_t input;  /* COMPUTE: `columns` elements */
    uint64_t result; /* COMPUTE: `rows` elements */
    uint64_t data;   /* data_pages x page bytes, or a stream port */
    uint32_t rows;   /* COMPUTE, FETCH: rows in tiles; otherwise 0, like the fields up to `page` */
    uint32_t columns;
    uint32_t core_rows; /* core_rows x core_columns weights fit in a page. */
    uint32_t core_columns;
    uint32_t page;       /* Number of the page of tile 0. */
    uint32_t data_page;  /* Number of the first data page. */
    uint32_t data_pages; /* COMPUTE: may be 0. */
    uint8_t plane;
    uint8_t data_plane;
    uint8_t split;         /* enum levee_flash_split */
    uint8_t weight_bits;   /* 8, or 4: two per byte, the low half first */
    uint8_t input_bytes;   /* 1 or 2 */
    uint8_t result_bytes;  /* Bytes of a result on the channel: 1, 2 or 4. */
    uint8_t result_shift;  /* 0 to 31; 0 if result_bytes is 4 */
    uint8_t rest_shift;    /* Shape of the tiles for the last columns (ip/flash/layout.h), which
                              must fit a page and a core's buffer. */
    uint32_t row_bytes;    /* FETCH; otherwise 0 */
    uint64_t input_scale;  /* Address of an FP32 value; 0: none. Must be 0 if weight_scale is 0. */
    uint64_t weight_scale; /* Address of one FP32 value per row; 0: the result stays an integer. */
    uint64_t bias;         /* Address of one FP32 value per row; 0: none. Must be 0 if
                              weight_scale is 0. */
};
