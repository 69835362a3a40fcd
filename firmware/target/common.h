// SPDX-License-Identifier: Apache-2.0
/* State of lowering on every machine: scales, the structures that descriptors refer to, and the
 * rings and tiles of systolic arrays. The types of these are here, since the state has them as
 * members; systolic/rings.h and systolic/tiles.h have their functions. */
#pragma once

#include "firmware/drivers/edram.h"
#include "ip/rsa/regs.h"
#include "ip/systolic_evictor/regs.h"

#include <stdbool.h>
#include <stdint.h>

struct ring {
    const struct levee_memory_info* memory; /* NULL: none */
    uint64_t address;
    uint32_t bytes;      /* bytes of one half, if there are two; of all arrays */
    uint64_t other_half; /* bytes from here to its place in the other half; 0: not divided */
};

struct rings {
    struct ring weights, kv;
    struct edram edram;           /* kv's memory */
    uint64_t views;               /* kv's vectors in the eDRAM's register file; 0: none */
    uint32_t first_view, vectors; /* entries */
};

/* Addresses of the parts of a tile. They are the same for a whole pass, so operations of
 * different tiles are ordered by their values. */
struct tile_place {
    uint64_t query, query_scale;
    uint64_t scores;
    uint64_t probabilities, scale;
    uint64_t running, keep; /* struct levee_sfu_running, FP32 factors, [heads][group][rows] */
    uint64_t mixed;         /* [heads][group][rows][D] */
};

struct tiling {
    uint64_t address, bytes; /* place in the memory on chip; 0 bytes: prefills are not tiled */
    uint32_t queries, keys;  /* most of a tile */
    bool refreshed;          /* The memory needs refresh: descriptors mark their last reads. */
    uint32_t* positions;     /* position of the first query of each tile of a pass */

    /* Chosen for passes of this many tokens that see this many keys: */
    uint32_t rows, longest;
    bool whole_softmax;
    struct {
        uint32_t heads, queries, keys; /* most of a tile */
    } of_pass;
    struct tile_place place;
};

/* Structures that the descriptors of one part of a layer's cache refer to. */
struct layer_part {
    struct levee_rsa_redirect redirect[2]; /* redirection of keys, of values */
    struct levee_se_formats formats;
};

struct layer_tables {
    struct layer_part*
        parts; /* parts of the layer's cache; NULL: nothing is redirected or stored */
    struct levee_se_formats* formats; /* POPULAR's, of one entry */
};

struct common {
    struct rings rings;
    struct tiling tiling;
    bool rows_add; /* rows_add() */
    struct layer_tables* layers;
    float score_scale;      /* 1 / sqrt(head_dim), single precision */
    uint32_t array_columns; /* rsa_columns() */
};
