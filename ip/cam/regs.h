// SPDX-License-Identifier: Apache-2.0
/* Registers and operations of the content-addressable memory (plain C, shared with firmware). */
#pragma once

#include "core/abi/command_regs.h"
#include "core/abi/descriptor.h"

#define LEVEE_BLOCK_CAM 75u

#define LEVEE_CAM_ROWS 0x80u      /* RO  match lines of an array */
#define LEVEE_CAM_COLUMNS 0x84u   /* RO  cells of a match line */
#define LEVEE_CAM_ARRAYS 0x88u    /* RO  number of arrays */
#define LEVEE_CAM_CELL_BITS 0x8Cu /* RO  maximum number of bits of a cell */

enum levee_cam_opcode { LEVEE_CAM_WRITE = 1, LEVEE_CAM_SEARCH = 2 };

/* Distance between a stored proxy and a query's proxy (ip/cam/README.md). */
enum levee_cam_distance {
    LEVEE_CAM_HAMMING = 0,   /* number of cells that differ */
    LEVEE_CAM_L2 = 1,        /* sum of squared differences of levels */
    LEVEE_CAM_L2_PRODUCT = 2 /* L2 with norm cells; ranks rows by the inner product of levels */
};

/* How a search with several queries combines the distances of a row from each query. */
enum levee_cam_merge { LEVEE_CAM_LEAST = 0, LEVEE_CAM_SUM = 1 };

#define LEVEE_CAM_NONE 0xFFFFFFFFu /* Fills a list after its last slot. */
#define LEVEE_CAM_MAX_BITS 8u
#define LEVEE_CAM_MAX_DIMS 1024u

/* The memory has floor(ARRAYS / t) * ROWS rows for proxies of levee_cam_cells() cells. Each
 * proxy uses t = ceil(cells / COLUMNS) arrays in parallel.
 *
 * WRITE, for each (o0, o1): the vectors in slots s to s + rows - 1 of a slice become proxies in
 * rows r0 + s and following. s is the word at `slots`, and r0 = first_row + o0 * row_stride[0] +
 * o1 * row_stride[1]. Vector i is at vectors + o0 and o1 strides + (s + i) * vectors_stride[2];
 * scales are addressed in the same way. A WRITE in a new format (n, type, bits, distance, range)
 * first empties the memory.
 *
 * SEARCH, for each (o0, o1): `rows` queries, vectors_stride[2] apart, are compared with the
 * first N = lengths[o0] rows of a slice. These must have been written in the same format. The K
 * = counts[o0] nearest slots, ties to the lowest slot, are written to `list` in ascending order.
 * LEVEE_CAM_NONE fills the list up to `width` words. 1 <= K <= N, K <= width.
 *
 * With `any`, each o0 also gets a joined list: the slots among the first N - any_less that at
 * least one o1 lists, once each and in ascending order. It goes to `any`, and its length to
 * any_count. In the other lists, each of these slots is then replaced by its index in `any`; the
 * last any_less slots stay unchanged.
 *
 * signal_every counts iterations of o0. */
struct levee_cam_operation {
    uint64_t vectors;          /* INT16 or INT8 */
    uint64_t scales;           /* WRITE with a range: FP32, one per vector */
    uint64_t slots;            /* WRITE: one word for each (o0, o1) */
    uint64_t lengths;          /* SEARCH: one word for each o0 */
    uint64_t counts;           /* SEARCH: one word for each o0 */
    uint64_t list;             /* SEARCH: output, `width` words for each (o0, o1) */
    uint64_t any;              /* SEARCH: output, a list for each o0; 0: none */
    uint64_t any_count;        /* SEARCH with any: output, one word for each o0 */
    int32_t vectors_stride[3]; /* by o0, o1, slot (WRITE) or query (SEARCH) */
    int32_t scales_stride[3];  /* by o0, o1, slot */
    int32_t list_stride[2];    /* by o0, o1 */
    int32_t any_stride;        /* by o0 */
    int32_t any_count_stride;  /* by o0 */
    uint16_t slots_stride[2];  /* by o0, o1 */
    uint16_t word_stride;      /* by o0, for lengths and counts */
    uint16_t outer[2];         /* iterations of the outer loops o0 and o1, at least 1 */
    uint16_t rows;             /* WRITE: vectors per slice; SEARCH: queries per slice */
    uint32_t first_row;        /* row of slot 0 of slice (0, 0) */
    uint32_t row_stride[2];    /* rows, by o0 and o1 */
    uint32_t slice_slots;      /* slots of a slice, at least the greatest slot + 1 or length */
    uint32_t n;                /* elements of a vector, at most LEVEE_CAM_MAX_DIMS */
    uint32_t width;            /* SEARCH: words of a list */
    uint32_t any_less;         /* SEARCH with any: number of last slots that `any` excludes */
    float range;      /* WRITE: greatest magnitude that levels represent; 0: the vector's own */
    uint8_t type;     /* enum levee_type */
    uint8_t bits;     /* bits of a cell, up to CELL_BITS */
    uint8_t distance; /* enum levee_cam_distance */
    uint8_t merge;    /* SEARCH: enum levee_cam_merge */
};

/* Number of norm cells that L2_PRODUCT adds to a proxy of n elements. Their squares must reach
 * the greatest value of missing_square() (model.cpp): some cells at the highest level, and four
 * for the remainder. One-bit proxies need none, because all their levels are equally far from
 * the middle. */
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
static_assert(sizeof(levee_cam_operation) <= 176, "must fit the descriptor");
#else
_Static_assert(sizeof(struct levee_cam_operation) <= 176, "must fit the descriptor");
#endif
