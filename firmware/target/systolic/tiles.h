// SPDX-License-Identifier: Apache-2.0
/* Attention of a prefill in tiles on chip. A tile multiplies the queries of some heads and
 * tokens by a block of the cached keys, so that neither scores nor probabilities go to the spill
 * memory (docs/numerics.md, "Softmax in parts"). Its operations are:
 *
 *   QUERY     the queries, once for all keys      [heads][group][rows][D]
 *   SCORES    queries x keys                      [heads][group][rows][keys]
 *   SOFTMAX   probabilities over the keys so far  likewise
 *   MIX       probabilities x values, added to what earlier keys gave
 *   SETTLE    from there to MIXED, after the last keys
 *
 * If one tile takes all keys, MIX writes to MIXED directly. Scores that count for importance
 * pass the evictor on a stream port; if these are probabilities, and there are several tiles of
 * keys, all of them come again (RESCORE, WEIGH), as only then the maximum and the sum are known:
 * tile by tile, or, for votes, which need a query's probabilities all at once, in one tile of
 * all keys, which takes no place.
 *
 * Tiles of keys begin at multiples of tiling.keys. No tile of queries goes past such a multiple,
 * wherever its pass begins: every query sees a key of each tile. In layers with a window tiles
 * of keys begin where the window of the tile's first query does: nothing before it is read.
 *
 * A pass that stands for decode steps (pass_shape.whole_softmax) has one tile of all keys, with
 * as few queries as that takes: the softmax of a decode step is whole. */
#pragma once

#include "firmware/target/common.h"
#include "firmware/target/part.h"

#include <stdbool.h>
#include <stdint.h>

/* Chooses the tiles for a placement. */
void tiles_open(struct tiling* tiling, const struct placement* placement, bool refreshed);

/* Key range of a tile's queries: the end of the keys that they see; with a window, the first key
 * that any of them sees; whether there are tiles of keys before (after) this one; and whether
 * the keys take several tiles. */
uint32_t tile_end(const struct pass* pass, const struct tile* tile);
uint32_t tile_begin(const struct pass* pass, const struct tile* tile);
bool tile_is_first(const struct pass* pass, const struct tile* tile);
bool tile_is_last(const struct pass* pass, const struct tile* tile);
bool tile_is_one_of_many(const struct lowering* lowering, const struct pass* pass,
                         const struct tile* tile);

/* The tiling as it is for the pass. */
const struct tiling* tiling_of(const struct lowering* lowering, const struct pass* pass);

/* Reports prefill.key_tile, prefill.query_tile and, of tiles, prefill.tile_bytes and
 * prefill.activated_tile. */
void tiles_report(const struct tiling* tiling, const struct placement* placement);

extern const struct tiling_rules systolic_tiling;
extern const struct tile_loop attention_tiles;
extern const struct tiled tiled_query, tiled_scores, tiled_softmax, tiled_mix, tiled_accumulate,
    tiled_settle, tiled_rescore, tiled_weigh, tiled_vote;
