// SPDX-License-Identifier: Apache-2.0
/* State that every machine needs to convert operations to descriptors: scales, the structures to
 * which descriptors refer, and the rings and tiles of systolic arrays. The types of rings and tiles
 * are here because the state has members of these types. Functions on them are in systolic/rings.h
 * and systolic/tiles.h. */
#pragma once

#include "firmware/drivers/edram.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"

#include <stdbool.h>
#include <stdint.h>

struct ring {
    const struct levee_memory_info* memory; /* NULL: none */
    uint64_t address;
    uint32_t bytes;      /* bytes for all arrays, of one half if there are two */
    uint64_t other_half; /* distance in bytes to its copy in the other half; 0: not divided */
};

struct rings {
    struct ring weights, kv;
    struct edram edram;           /* the controller of kv's memory */
    uint64_t views;               /* the eDRAM's register file for kv's vectors; 0: none */
    uint32_t first_view, vectors; /* register file entries of the ring */
};

/* Addresses of a tile's data. All tiles of a pass use the same addresses. Reads and writes of the
 * values therefore also order the operations of different tiles. */
struct tile_place {
    uint64_t query, query_scale;
    uint64_t scores;
    uint64_t probabilities, scale;
    uint64_t running, keep; /* struct levee_sfu_running, FP32 factors, [heads][group][rows] */
    uint64_t mixed;         /* [heads][group][rows][D] */
};

struct tiling {
    uint64_t address, bytes; /* place in the memory on chip; 0 bytes: prefills are not tiled */
    uint32_t queries, keys;  /* greatest numbers in a tile */
    bool refreshed;          /* the memory needs refresh, so descriptors mark their last reads */
    uint32_t* positions;     /* position of the first query of each tile of a pass */

    /* The sizes below are for passes with this number of tokens and of keys: */
    uint32_t rows, longest;
    bool whole_softmax;
    struct {
        uint32_t heads, queries, keys; /* greatest numbers in a tile */
    } of_pass;
    struct tile_place place;
};

/* Structures to which the descriptors of one part of a layer's cache refer. */
struct layer_part {
    struct levee_rsa_redirect redirect[2]; /* redirection tables of keys and of values */
    struct levee_se_formats formats;
};

struct layer_tables {
    struct layer_part*
        parts; /* parts of the layer's cache; NULL: nothing is redirected or stored */
    struct levee_se_formats* formats; /* formats for POPULAR, of one entry */
};

struct common {
    struct rings rings;
    struct tiling tiling;
    bool rows_add; /* whether the array adds to the residual stream (rows_add()) */
    struct layer_tables* layers;
    float score_scale;      /* 1 / sqrt(head_dim) in single precision */
    uint32_t array_columns; /* number of columns of the first array (rsa_columns()) */
};
