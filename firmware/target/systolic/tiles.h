// SPDX-License-Identifier: Apache-2.0
/* Attention of a prefill in tiles on chip. A tile multiplies the queries of some heads and tokens
 * by a block of the cached keys. Neither scores nor probabilities then go to the spill memory
 * (docs/numerics.md, "Softmax in parts"). A tile's operations are:
 *
 *  QUERY     the queries, once for all keys      [heads][group][rows][D]
 *  SCORES    queries x keys                      [heads][group][rows][keys]
 *  SOFTMAX   probabilities over the keys so far  same shape
 *  MIX       probabilities x values, added to the sums of earlier keys
 *  SETTLE    copies the sums to MIXED, after the last keys
 *
 * If one tile has all keys, MIX writes to MIXED directly. Scores that count for importance go to
 * the evictor on a stream port. If these scores are probabilities and there are several tiles of
 * keys, RESCORE and WEIGH compute them again at the end, tile by tile. Only then are the maximum
 * and the sum known. Votes need all of a query's probabilities at once. For votes, RESCORE and
 * WEIGH therefore use one tile of all keys, which needs no memory.
 *
 * Tiles of keys begin at multiples of tiling.keys. No tile of queries extends beyond such a
 * multiple, wherever its pass begins. Every query thus attends to at least one key of each tile. In
 * layers with a window, tiles of keys begin at the start of the first query's window, and no
 * earlier keys are read.
 *
 * A pass in place of decode steps (pass_shape.whole_softmax) has one tile of all keys, because the
 * softmax of a decode step is whole. Such a tile has as few queries as necessary. */
#pragma once

#include "firmware/target/common.h"
#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

/* Chooses the tile sizes for a placement. */
void tiles_open(struct tiling* tiling, const struct placement* placement, bool refreshed);

/* Key range of a tile's queries. tile_end returns the end of the keys to which the queries attend.
 * tile_begin returns the first key to which any query attends, if there is a window. tile_is_first
 * and tile_is_last return whether the tile has the first and the last keys, and tile_is_one_of_many
 * whether there are several tiles of keys. */
uint32_t tile_end(const struct pass* pass, const struct tile* tile);
uint32_t tile_begin(const struct pass* pass, const struct tile* tile);
bool tile_is_first(const struct pass* pass, const struct tile* tile);
bool tile_is_last(const struct pass* pass, const struct tile* tile);
bool tile_is_one_of_many(const struct lowering* lowering, const struct pass* pass,
                         const struct tile* tile);

/* Returns the tile sizes for the pass. */
const struct tiling* tiling_of(const struct lowering* lowering, const struct pass* pass);

/* Reports prefill.key_tile and prefill.query_tile. If there are tiles, also reports
 * prefill.tile_bytes and prefill.activated_tile. */
void tiles_report(const struct tiling* tiling, const struct placement* placement);

extern const struct tiling_rules systolic_tiling;
extern const struct tile_loop attention_tiles;
extern const struct tiled tiled_query, tiled_scores, tiled_softmax, tiled_mix, tiled_accumulate,
    tiled_settle, tiled_rescore, tiled_weigh, tiled_vote;
