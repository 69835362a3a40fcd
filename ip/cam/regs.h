// SPDX-License-Identifier: Apache-2.0
/* Content-addressable memory: registers and operations (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_CAM 75u /* number of this block in boot_info */

#define LEVEE_CAM_ROWS 0x80u      /* RO  match lines of an array */
#define LEVEE_CAM_COLUMNS 0x84u   /* RO  cells of a match line */
#define LEVEE_CAM_ARRAYS 0x88u    /* RO  arrays */
#define LEVEE_CAM_CELL_BITS 0x8Cu /* RO  most bits of a cell */

enum levee_cam_opcode { LEVEE_CAM_WRITE = 1, LEVEE_CAM_SEARCH = 2 };

/* The distance of a stored proxy from a query's (ip/cam/README.md). */
enum levee_cam_distance {
    LEVEE_CAM_HAMMING = 0,   /* cells that differ */
    LEVEE_CAM_L2 = 1,        /* sum of squared differences of levels */
    LEVEE_CAM_L2_PRODUCT = 2 /* the same with norm cells: ranks as the inner product of levels */
};

/* The distance of a row for several queries of one search. */
enum levee_cam_merge { LEVEE_CAM_LEAST = 0, LEVEE_CAM_SUM = 1 };

#define LEVEE_CAM_NONE 0xFFFFFFFFu /* Filler of a list after its last slot. */
#define LEVEE_CAM_MAX_BITS 8u
#define LEVEE_CAM_MAX_DIMS 1024u

/* The memory has floor(ARRAYS / t) * ROWS rows, for proxies of levee_cam_cells() cells, which
 * take t = ceil(cells / COLUMNS) arrays side by side.
 *
 * WRITE, for each (o0, o1): the vectors in slots s .. s + rows - 1 of a slice, s = the word of
 * `slots`, become proxies in rows r0 + s and following, r0 = first_row + o0 * row_stride[0] + o1
 * * row_stride[1]. Vector i is at vectors + o0, o1 strides + (s + i) * vectors_stride[2]; so are
 * scales. A WRITE in another format (n, type, bits, distance, range) than before empties the
 * memory.
 *
 * SEARCH, for each (o0, o1): `rows` queries (vectors_stride[2] apart) are compared with the
 * first N = lengths[o0] rows of a slice, which must have been written in the same format. The K
 * = counts[o0] nearest, ties to the lowest slot, are written in ascending order to list,
 * followed by LEVEE_CAM_NONE up to `width` words. 1 <= K <= N, K <= width. With `any`, the slots
 * among the first N - any_less that some o1 lists are written once for each o0, ascending, to
 * any, and their number to any_count. A slot in a list is then replaced by its index in any; the
 * last any_less slots stay unchanged.
 *
 * signal_every counts o0. */
struct levee_cam_operation {
    uint64_t vectors;          /* INT16 or INT8 */
    uint64_t scales;           /* WRITE with a range: FP32, one a vector */
    uint64_t slots;            /* WRITE: a word for each (o0, o1) */
    uint64_t lengths;          /* SEARCH: a word for each o0 */
    uint64_t counts;           /* SEARCH: same layout as lengths. */
    uint64_t list;             /* SEARCH: out, `width` words for each (o0, o1) */
    uint64_t any;              /* SEARCH: out, words for each o0; 0: not asked for */
    uint64_t any_count;        /* SEARCH with any: out, a word for each o0 */
    int32_t vectors_stride[3]; /* o0, o1, slot (WRITE) or query (SEARCH) */
    int32_t scales_stride[3];  /* o0, o1, slot */
    int32_t list_stride[2];    /* o0, o1 */
    int32_t any_stride;        /* o0 */
    int32_t any_count_stride;  /* o0 */
    uint16_t slots_stride[2];  /* o0, o1 */
    uint16_t word_stride;      /* o0, of lengths and counts */
    uint16_t outer[2];         /* o0, o1: at least 1 */
    uint16_t rows;             /* WRITE: vectors of each slice; SEARCH: queries of each */
    uint32_t first_row;        /* row of slot 0 of slice (0, 0) */
    uint32_t row_stride[2];    /* rows, o0 and o1 */
    uint32_t slice_slots;      /* slots of a slice; no slot or length is larger */
    uint32_t n;                /* elements of a vector, up to LEVEE_CAM_MAX_DIMS */
    uint32_t width;            /* SEARCH: words of a list */
    uint32_t any_less;         /* SEARCH with any: the last slots, which it leaves out */
    float range;      /* WRITE: greatest magnitude that levels distinguish; 0: the vector's own */
    uint8_t type;     /* enum levee_type */
    uint8_t bits;     /* bits of a cell, up to CELL_BITS */
    uint8_t distance; /* enum levee_cam_distance */
    uint8_t merge;    /* SEARCH: enum levee_cam_merge */
};

/* Cells that L2_PRODUCT adds to a proxy of n elements: the greatest missing square in whole
 * cells, and four for the remainder. One-bit proxies need none, since all their levels are
 * equally far from the middle. */
static inline uint32_t levee_cam_norm_cells(uint32_t n, uint32_t bits)
{
    const uint32_t half = (1u << bits) / 2, most = (1u << bits) - 1;
    return bits < 2 ? 0 : n * (half * (half - 1)) / (most * most) + 4;
}

static inline uint32_t levee_cam_cells(uint32_t n, uint32_t bits, uint32_t distance)
{
    return n + (distance == LEVEE_CAM_L2_PRODUCT ? levee_cam_norm_cells(n, bits) : 0);
}

#ifdef __cplusplus
static_assert(sizeof(levee_cam_operation) <= 176, "fits the descriptor");
#else
_Static_assert(sizeof(struct levee_cam_operation) <= 176, "fits the descriptor");
#endif
