// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/tiles.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/placement.h"
#include "firmware/target/systolic/rows.h"
#include "ip/sfu/regs.h"

#define ALIGNMENT 64u
#define PIECES 8u /* number of fields of struct tile_place */

/* Sets the bytes of each field of struct tile_place, for `rows` queries per head and `keys`
 * keys. */
static void piece_bytes(const struct model* model, uint64_t rows, uint64_t keys,
                        uint64_t bytes[PIECES])
{
    const uint64_t of_row[PIECES] = {model->header.head_dim * INT16_BYTES,
                                     FP32_BYTES,
                                     keys * FP32_BYTES,
                                     keys * INT16_BYTES,
                                     FP32_BYTES,
                                     sizeof(struct levee_sfu_running),
                                     FP32_BYTES,
                                     model_cached_value(model) * FP32_BYTES};
    for (unsigned i = 0; i < PIECES; ++i)
        bytes[i] = rows * of_row[i];
}

/* Bytes that a tile takes for each query of a key/value head: those that are needed for each key,
 * and all others. */
struct row_bytes {
    uint32_t key, rest;
};

static struct row_bytes row_bytes(const struct model* model)
{
    const uint32_t group = model->header.heads / model->header.kv_heads;
    uint64_t none[PIECES], one[PIECES];
    uint64_t rest = 0, with_key = 0;
    piece_bytes(model, group, 0, none);
    piece_bytes(model, group, 1, one);
    for (unsigned i = 0; i < PIECES; ++i) {
        rest += none[i];
        with_key += one[i];
    }
    return (struct row_bytes){(uint32_t)(with_key - rest), (uint32_t)rest};
}

static uint64_t tile_bytes(const struct model* model, uint64_t rows, uint64_t keys)
{
    const struct row_bytes bytes = row_bytes(model);
    return rows * (bytes.rest + keys * bytes.key) + PIECES * ALIGNMENT;
}

static uint64_t most_bytes(const struct tiling_request* request)
{
    const uint64_t heads = request->model->header.kv_heads;
    return tile_bytes(request->model, heads * request->chunk, request->longest);
}

/* Returns the number of heads in a tile. Several arrays divide a tile by its heads. */
static uint32_t heads_at_once(const struct levee_model_header* shape)
{
    const uint32_t arrays = rsa_count();
    return arrays < shape->kv_heads ? arrays : shape->kv_heads;
}

/* Returns the greatest number of keys that fit together with this many queries of `heads` heads; 0:
 * none fit. */
static uint64_t keys_of(const struct model* model, uint64_t bytes, uint32_t heads, uint32_t queries)
{
    const struct row_bytes row = row_bytes(model);
    const uint64_t of_row =
        bytes > PIECES * ALIGNMENT ? (bytes - PIECES * ALIGNMENT) / ((uint64_t)heads * queries) : 0;
    return of_row > row.rest ? (of_row - row.rest) / row.key : 0;
}

static uint32_t gcd(uint32_t a, uint32_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

/* Rounds the number of keys down to whole tiles of queries and, if there are enough keys, to whole
 * folds of the array. Returns `longest` if that many keys fit. */
static uint32_t whole_keys(uint64_t keys, uint32_t queries, uint32_t longest)
{
    const uint32_t columns = rsa_columns();
    const uint64_t folds = (uint64_t)queries / gcd(queries, columns) * columns;
    const uint64_t unit = folds <= keys ? folds : queries;
    const uint64_t most = ((uint64_t)longest + unit - 1) / unit * unit;
    return (uint32_t)(keys >= longest ? most : keys / unit * unit);
}

/* Chooses the greatest number of queries that fits. It tries a whole chunk, then a half, a quarter,
 * and so on. Tiles must have at least as many keys as queries, and at least as many keys as the
 * array has columns. Returns false if no number fits. */
static bool choose(const struct tiling_request* request, uint64_t bytes, struct tiling* out)
{
    const uint32_t columns = rsa_columns();
    const uint32_t heads = heads_at_once(&request->model->header);
    for (uint32_t queries = request->chunk; queries != 0; queries /= 2) {
        const uint64_t keys = keys_of(request->model, bytes, heads, queries);
        const bool enough = keys >= queries && keys >= columns;
        if (keys >= request->longest || enough) {
            out->queries = queries;
            out->keys = whole_keys(keys, queries, request->longest);
            return true;
        }
        if (queries % 2 != 0)
            break;
    }
    return false;
}

static bool holds_whole(const struct tiling_request* request, uint64_t bytes)
{
    return tile_bytes(request->model, 1, request->longest) <= bytes;
}

static uint32_t queries_in(const struct tiling_request* request, uint64_t bytes)
{
    struct tiling trial;
    return choose(request, bytes, &trial) ? trial.queries : 0;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Returns the greatest number of tiles of queries in a chunk. A pass may begin in the middle of a
 * tile, so there may be one more than a chunk's whole tiles. In a pass with a whole softmax, a tile
 * may have a single query. */
static uint32_t most_query_tiles(const struct tiling* tiling, const struct placement* placement)
{
    const uint32_t tiles = (placement->chunk + tiling->queries - 1) / tiling->queries + 1;
    return placement->verified > tiles ? placement->verified : tiles;
}

void tiles_open(struct tiling* tiling, const struct placement* placement, bool refreshed)
{
    const struct cache* cache = &placement->cache;
    const struct tiling_request request = {cache->model, placement->chunk,
                                           policy_selects(cache->policy) ? placement->prefilled
                                                                         : placement->context};
    *tiling = (struct tiling){.address = placement->tiles, .refreshed = refreshed};
    if (placement->tile_bytes == 0)
        return;
    if (!choose(&request, placement->tile_bytes, tiling))
        fatal(EXIT_REFUSED, "tiles of a prefill of %lu tokens do not fit %lu bytes",
              (unsigned long)placement->chunk, (unsigned long)placement->tile_bytes);
    tiling->bytes = placement->tile_bytes;
    tiling->positions =
        heap_take(most_query_tiles(tiling, placement) * sizeof *tiling->positions, "a table");
}

void tiles_report(const struct tiling* tiling, const struct placement* placement)
{
    const uint32_t all =
        policy_selects(placement->cache.policy) ? placement->prefilled : placement->context;
    const bool tiled = tiling->bytes != 0;
    hostlink_metric_u64("prefill.key_tile", tiled && tiling->keys < all ? tiling->keys : all);
    hostlink_metric_u64("prefill.query_tile", tiled ? tiling->queries : placement->chunk);
    if (tiled)
        hostlink_metric_u64("prefill.tile_bytes", tiling->bytes);
    if (placement->activated < placement->chunk)
        hostlink_metric_u64("prefill.activated_tile", placement->activated);
}

uint32_t tile_end(const struct pass* pass, const struct tile* tile)
{
    return pass->longest - pass->shape.rows + tile->row + tile->rows;
}

uint32_t tile_begin(const struct pass* pass, const struct tile* tile)
{
    const uint32_t first = pass->longest - pass->shape.rows + tile->row;
    return pass->window != 0 && first >= pass->window ? first + 1 - pass->window : 0;
}

bool tile_is_first(const struct pass* pass, const struct tile* tile)
{
    return tile->key == tile_begin(pass, tile);
}

bool tile_is_last(const struct pass* pass, const struct tile* tile)
{
    return tile->key + tile->keys == tile_end(pass, tile);
}

bool tile_is_one_of_many(const struct lowering* lowering, const struct pass* pass,
                         const struct tile* tile)
{
    return tile_end(pass, tile) - tile_begin(pass, tile) > tiling_of(lowering, pass)->of_pass.keys;
}

/* Returns the addresses for tiles with at most this many heads, tokens and keys. */
static struct tile_place places(const struct model* model, uint64_t address, uint64_t rows,
                                uint64_t keys)
{
    uint64_t bytes[PIECES];
    piece_bytes(model, rows, keys, bytes);
    uint64_t at[PIECES];
    for (unsigned i = 0; i < PIECES; ++i) {
        at[i] = address;
        address += (bytes[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return (struct tile_place){at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
}

/* Returns the number of queries per head that fit into a tile with this many keys; at least one. */
static uint32_t queries_with(const struct model* model, const struct tiling* tiling, uint32_t keys)
{
    const uint64_t row = tile_bytes(model, 1, keys) - PIECES * ALIGNMENT;
    const uint64_t rows = (tiling->bytes - PIECES * ALIGNMENT) / row;
    return rows < tiling->queries ? (uint32_t)rows : tiling->queries;
}

const struct tiling* tiling_of(const struct lowering* lowering, const struct pass* pass)
{
    struct tiling* tiling = &lowering->common->tiling;
    const struct levee_model_header* shape = &lowering->model->header;
    const bool whole = pass->shape.whole_softmax;
    if (tiling->rows == pass->shape.rows && tiling->longest == pass->longest &&
        tiling->whole_softmax == whole)
        return tiling;
    const uint32_t keys = whole ? pass->longest : least(tiling->keys, pass->longest);
    const uint32_t most = whole ? queries_with(lowering->model, tiling, keys) : tiling->queries;
    const uint32_t rows = least(most, pass->shape.rows);
    const uint64_t of_head = tile_bytes(lowering->model, rows, keys) - PIECES * ALIGNMENT;
    const uint64_t heads = (tiling->bytes - PIECES * ALIGNMENT) / of_head;
    tiling->rows = pass->shape.rows;
    tiling->longest = pass->longest;
    tiling->whole_softmax = whole;
    tiling->of_pass.heads = heads < shape->kv_heads ? (uint32_t)heads : shape->kv_heads;
    tiling->of_pass.queries = rows;
    tiling->of_pass.keys = keys;
    tiling->place =
        places(lowering->model, tiling->address,
               (uint64_t)tiling->of_pass.heads * (shape->heads / shape->kv_heads) * rows, keys);
    return tiling;
}

/* Returns the number of queries up to the next multiple of the tile's keys. Queries after it would
 * attend to a tile of keys to which the first queries do not attend. With a window, no limit is
 * needed, because keys are masked. */
static uint32_t queries_from(const struct pass* pass, const struct tiling* tiling, uint32_t row)
{
    const uint32_t rows = least(tiling->of_pass.queries, pass->shape.rows - row);
    const uint32_t position = pass->longest - pass->shape.rows + row;
    const bool parts = pass->window == 0 && pass->longest > tiling->of_pass.keys;
    return parts ? least(rows, tiling->of_pass.keys - position % tiling->of_pass.keys) : rows;
}

/* Moves on to the first tile of the next queries, of the same heads or of the next heads. Returns
 * false if no queries are left. */
static bool next_queries(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct tile* tile)
{
    const struct cache* cache = &lowering->placement->cache;
    tile->row += tile->rows;
    ++tile->number;
    if (tile->row == pass->shape.rows) {
        tile->row = tile->number = 0;
        tile->head += tile->heads;
    }
    if (tile->head == cache_slices(cache, pass, operation->layer, tile->part).heads) {
        tile->head = 0;
        ++tile->part;
    }
    return tile->part < cache_parts(cache, pass, operation->layer);
}

static bool comes_again(const struct lowering* lowering, const struct pass* pass,
                        const struct tile* tile)
{
    return pass->shape.form.scored && lowering->policy->score == LEVEE_KV_SCORE_SOFTMAX &&
           tile_is_one_of_many(lowering, pass, tile);
}

static bool next(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct tile* tile)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct tiling* tiling = tiling_of(lowering, pass);
    const bool more = tile->heads != 0 && !tile_is_last(pass, tile);
    const bool again =
        !more && tile->heads != 0 && !tile->again && comes_again(lowering, pass, tile);
    tile->key += tile->keys;
    if (!more && !again) {
        if (tile->heads != 0 && !next_queries(lowering, pass, operation, tile))
            return false;
        const struct slices slices = cache_slices(cache, pass, operation->layer, tile->part);
        tile->rows = queries_from(pass, tiling, tile->row);
        if (tile->row == 0)
            tile->heads = least(tiling->of_pass.heads, slices.heads - tile->head);
    }
    if (!more)
        tile->key = tile_begin(pass, tile);
    tile->again = again || (more && tile->again);
    tile->keys = tile_end(pass, tile) - tile->key;
    if (!tile->again || !lowering->policy->votes)
        tile->keys = least(tiling->of_pass.keys, tile->keys);
    return true;
}

static void put(struct operation_list* out, const struct operation* like, struct operation added)
{
    added.layer = like->layer;
    operation_append(out, &added);
}

/* Lists the operations of a tile. Operations that a stream joins do not wait for each other, so
 * WEIGH is not listed as a reader of scores. Queries use the memory of the operands with which
 * tiles share it. */
static void list(const struct lowering* lowering, const struct pass* pass,
                 const struct operation_list* run, struct operation_list* out)
{
    const bool weighs =
        pass->shape.form.scored && lowering->policy->score == LEVEE_KV_SCORE_SOFTMAX;
    for (uint32_t i = 0; i < run->count; ++i) {
        const struct operation* operation = &run->operations[i];
        const bool takes =
            operation->kind == OPERATION_ACCUMULATE || operation->kind == OPERATION_VOTE;
        if (takes && weighs) {
            put(out, operation,
                (struct operation){.kind = OPERATION_RESCORE,
                                   .reads = {VALUE_QUERY, VALUE_KEYS},
                                   .writes = VALUE_SCORES});
            put(out, operation,
                (struct operation){.kind = OPERATION_WEIGH, .writes = VALUE_PROBABILITIES});
        }
        operation_append(out, operation);
        if (operation->kind == OPERATION_QUERY)
            out->operations[out->count - 1].also_writes |=
                lowering->placement->shared & ~VALUE_BIT(VALUE_QUERY);
        if (operation->kind == OPERATION_MIX)
            put(out, operation,
                (struct operation){
                    .kind = OPERATION_SETTLE, .reads = {VALUE_MIXED}, .writes = VALUE_MIXED});
    }
}

const struct tiling_rules systolic_tiling = {most_bytes, queries_in, holds_whole, rows_activated};
const struct tile_loop attention_tiles = {list, next};
