// SPDX-License-Identifier: Apache-2.0
/* Attention of a prefill, tile by tile (tiles.h). The loops are key/value heads, query heads of the
 * group, and tokens. The evictor expects a stream of scores in this order. */
#include "firmware/drivers/evictor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/drivers/voting_engine.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/systolic/tiles.h"

#define IMPORTANCE_BYTES 2

static uint32_t group_of(const struct lowering* lowering)
{
    return lowering->model->header.heads / lowering->model->header.kv_heads;
}

static bool counts(const struct lowering* lowering, const struct pass* pass, uint32_t score)
{
    return pass->shape.form.scored && lowering->policy->score == score;
}

static bool is_one_of_many(const struct lowering* lowering, const struct pass* pass)
{
    return tile_is_one_of_many(lowering, pass, lowering->tile);
}

/* Strides in bytes of a value [heads][group][rows]: from one key/value head to the next, from one
 * query head of a group to the next, and from token to token. */
struct tile_strides {
    int32_t head, member, row;
};

static struct tile_strides strides(const struct lowering* lowering, uint32_t bytes)
{
    const int32_t row = (int32_t)bytes;
    const int32_t member = (int32_t)lowering->tile->rows * row;
    return (struct tile_strides){(int32_t)group_of(lowering) * member, member, row};
}

/* Sets the strides of products, whose loops are heads, members of the group, and tokens. */
static void set_product_strides(const struct tile_strides* strides, int32_t out[4])
{
    out[1] = strides->head;
    out[2] = strides->member;
    out[3] = strides->row;
}

static struct levee_rsa_operation* product(const struct lowering* lowering,
                                           struct levee_descriptor* descriptor)
{
    struct levee_rsa_operation* out = rsa_operation(descriptor);
    descriptor->opcode = LEVEE_RSA_GEMM;
    out->outer[0] = 1;
    out->outer[1] = (uint16_t)lowering->tile->heads;
    out->m1 = (uint16_t)group_of(lowering);
    out->m0 = (uint16_t)lowering->tile->rows;
    out->alpha = 1.0f;
    out->a_type = LEVEE_TYPE_INT16;
    lower_kv_operand(lowering, out);
    return out;
}

/* Begins an operation of the function unit on the vectors of the tile, which has some query heads
 * and tokens. */
static struct levee_sfu_operation* vectors(const struct lowering* lowering, uint8_t opcode,
                                           struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = opcode;
    out->outer[0] = 1;
    out->outer[1] = (uint16_t)(lowering->tile->heads * group_of(lowering));
    out->rows = (uint16_t)lowering->tile->rows;
    out->x_type = out->out_type = LEVEE_TYPE_FP32;
    return out;
}

static void say_last_read(const struct lowering* lowering, struct levee_descriptor* descriptor)
{
    if (lowering->common->tiling.refreshed)
        descriptor->flags |= LEVEE_DESC_LAST_READ_0;
}

/* Returns the address of the position of the tile's first query. */
static uint64_t position_of(const struct lowering* lowering, const struct pass* pass)
{
    const struct tiling* tiling = &lowering->common->tiling;
    const struct tile* tile = lowering->tile;
    uint32_t* position = &tiling->positions[tile->number];
    *position = pass->origin + pass->longest - pass->shape.rows + tile->row;
    return bus_address(position);
}

/* Number, within the part, of the tile's first query head. */
static uint32_t first_query_head(const struct lowering* lowering, const struct slices* slices)
{
    return (slices->head + lowering->tile->head) * group_of(lowering);
}

static void lower_tile_query(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct tile_place* place = &tiling_of(lowering, pass)->place;
    const struct tile_strides to = strides(lowering, shape->head_dim * INT16_BYTES);
    const struct tile_strides scales = strides(lowering, FP32_BYTES);
    lower_query(lowering, pass, operation, descriptor);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->outer[1] = (uint16_t)(lowering->tile->heads * group_of(lowering));
    out->rows = (uint16_t)lowering->tile->rows;
    out->x += (uint64_t)lowering->tile->row * (uint32_t)out->x_stride[2] +
              (uint64_t)first_query_head(lowering, &slices) * (uint32_t)out->x_stride[1];
    if (out->positions != 0)
        out->positions = position_of(lowering, pass);
    out->out = place->query;
    out->out_stride[0] = 0;
    out->out_stride[1] = to.member;
    out->out_stride[2] = to.row;
    out->out_scale = place->query_scale;
    out->out_scale_stride[0] = 0;
    out->out_scale_stride[1] = scales.member;
    out->out_scale_stride[2] = scales.row;
}

/* Describes the product of queries and keys. Its results have the layout of the tile's scores. The
 * caller sets the destination. */
static struct levee_rsa_operation* query_by_key(const struct lowering* lowering,
                                                const struct pass* pass,
                                                const struct operation* operation,
                                                struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct tile* tile = lowering->tile;
    const struct tile_place* place = &tiling_of(lowering, pass)->place;
    const uint32_t row = lower_vector_bytes(lowering);
    const struct tile_strides query =
        strides(lowering, lowering->model->header.head_dim * INT16_BYTES);
    const struct tile_strides scales = strides(lowering, FP32_BYTES);
    struct levee_rsa_operation* out = product(lowering, descriptor);
    out->a = place->query;
    set_product_strides(&query, out->a_stride);
    out->a_scale = place->query_scale;
    set_product_strides(&scales, out->a_scale_stride);
    out->b =
        slices.keys + (uint64_t)tile->head * (uint32_t)slices.stride[1] + (uint64_t)tile->key * row;
    out->b_stride[1] = slices.stride[1];
    out->b_stride[2] = (int32_t)row;
    out->b_scale = slices.key_scales + (uint64_t)tile->head * (uint32_t)slices.scale_stride[1] +
                   (uint64_t)tile->key * FP32_BYTES;
    out->b_scale_stride[1] = slices.scale_stride[1];
    out->b_scale_stride[2] = FP32_BYTES;
    out->flags |= LEVEE_RSA_B_TRANSPOSED;
    out->k = lowering->model->header.head_dim;
    out->n = tile->keys;
    out->alpha = lowering->common->score_scale;
    return out;
}

static void lower_tile_scores(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation,
                              struct levee_descriptor* descriptor)
{
    const struct tile_strides to = strides(lowering, lowering->tile->keys * FP32_BYTES);
    struct levee_rsa_operation* out = query_by_key(lowering, pass, operation, descriptor);
    out->out = tiling_of(lowering, pass)->place.scores;
    set_product_strides(&to, out->out_stride);
    if (counts(lowering, pass, LEVEE_KV_SCORE_LOGIT))
        out->tap = 1 + LEVEE_PORT_ARRAY;
}

static void lower_rescore(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    query_by_key(lowering, pass, operation, descriptor)->out = LEVEE_STREAM(LEVEE_PORT_ARRAY);
}

/* Describes a softmax over the tile's keys. The last tile of keys includes the keys of the queries
 * themselves, so there earlier queries attend to fewer keys than later ones. In all other tiles all
 * queries attend to equally many keys. With a window, no query attends to more keys than the window
 * has. */
static struct levee_sfu_operation* softmax(const struct lowering* lowering, const struct pass* pass,
                                           uint8_t opcode, struct levee_descriptor* descriptor)
{
    const struct tile* tile = lowering->tile;
    const struct tile_strides scales = strides(lowering, FP32_BYTES);
    struct levee_sfu_operation* out = vectors(lowering, opcode, descriptor);
    out->n = tile->keys;
    if (tile->rows > 1 && (tile_is_last(pass, tile) || pass->window != 0))
        out->flags = LEVEE_SFU_CAUSAL;
    if (pass->window != 0)
        out->length_add = tile_end(pass, tile) - tile->key - tile->keys;
    out->seed = pass->window;
    out->cap = lowering->model->header.structure.score_cap;
    out->gain = opcode == LEVEE_SFU_SOFTMAX ? 0 : tiling_of(lowering, pass)->place.running;
    out->out_scale_stride[1] = scales.member;
    out->out_scale_stride[2] = scales.row;
    return out;
}

static void lower_tile_softmax(const struct lowering* lowering, const struct pass* pass,
                               const struct operation* operation,
                               struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct tile* tile = lowering->tile;
    const struct tile_place* place = &tiling_of(lowering, pass)->place;
    const struct tile_strides from = strides(lowering, tile->keys * FP32_BYTES);
    const struct tile_strides to = strides(lowering, tile->keys * INT16_BYTES);
    const bool parts = is_one_of_many(lowering, pass);
    struct levee_sfu_operation* out =
        softmax(lowering, pass, parts ? LEVEE_SFU_SOFTMAX_PART : LEVEE_SFU_SOFTMAX, descriptor);
    out->x = place->scores;
    out->x_stride[1] = from.member;
    out->x_stride[2] = from.row;
    out->out = place->probabilities;
    out->out_type = LEVEE_TYPE_INT16;
    out->out_stride[1] = to.member;
    out->out_stride[2] = to.row;
    out->out_scale = place->scale;
    out->bias = parts ? place->keep : 0;
    if (parts && tile_is_first(pass, tile))
        out->flags |= LEVEE_SFU_FIRST;
    if ((lowering->model->properties & MODEL_SINKS) && tile_is_first(pass, tile))
        lower_sinks(lowering, operation, first_query_head(lowering, &slices), out);
    out->group = (uint8_t)group_of(lowering);
    out->y = slices.value_scales + (uint64_t)tile->head * (uint32_t)slices.scale_stride[1] +
             (uint64_t)tile->key * FP32_BYTES;
    out->y_stride[1] = slices.scale_stride[1];
    out->y_stride[2] = FP32_BYTES;
    if (counts(lowering, pass, LEVEE_KV_SCORE_SOFTMAX) && !parts)
        out->tap = 1 + LEVEE_PORT_FUNCTIONS;
    say_last_read(lowering, descriptor);
}

static void lower_weigh(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    struct levee_sfu_operation* out = softmax(lowering, pass, LEVEE_SFU_SOFTMAX_KNOWN, descriptor);
    out->x = LEVEE_STREAM(LEVEE_PORT_ARRAY);
    out->tap = 1 + LEVEE_PORT_FUNCTIONS;
}

/* Returns the address of MIXED, [rows][H * D], beginning with the tile's first query. Sets the
 * strides for loops over heads, members of the group, and tokens. */
static uint64_t mixed(const struct lowering* lowering, const struct slices* slices,
                      struct tile_strides* to)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t head = (int32_t)model_cached_value(lowering->model) * FP32_BYTES;
    *to = (struct tile_strides){(int32_t)group_of(lowering) * head, head,
                                (int32_t)shape->heads * head};
    return lowering->values[VALUE_MIXED].data + (uint64_t)lowering->tile->row * (uint32_t)to->row +
           (uint64_t)first_query_head(lowering, slices) * (uint32_t)head;
}

static void lower_tile_mix(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct tile* tile = lowering->tile;
    const uint32_t dim = model_cached_value(lowering->model);
    const struct tile_place* place = &tiling_of(lowering, pass)->place;
    const struct tile_strides from = strides(lowering, tile->keys * INT16_BYTES);
    const struct tile_strides scales = strides(lowering, FP32_BYTES);
    struct tile_strides to = strides(lowering, dim * FP32_BYTES);
    struct levee_rsa_operation* out = product(lowering, descriptor);
    out->a = place->probabilities;
    set_product_strides(&from, out->a_stride);
    out->a_scale = place->scale;
    set_product_strides(&scales, out->a_scale_stride);
    out->b = slices.values + (uint64_t)tile->head * (uint32_t)slices.stride[1] +
             (uint64_t)tile->key * lower_vector_bytes(lowering);
    out->b_stride[1] = slices.stride[1];
    out->b_stride[2] = (int32_t)lower_vector_bytes(lowering);
    out->out = is_one_of_many(lowering, pass) ? place->mixed : mixed(lowering, &slices, &to);
    set_product_strides(&to, out->out_stride);
    if (!tile_is_first(pass, tile)) {
        out->flags |= LEVEE_RSA_ACCUMULATE;
        out->bias = place->keep;
    }
    out->k = tile->keys;
    out->n = dim;
    say_last_read(lowering, descriptor);
}

static void lower_settle(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t dim = model_cached_value(lowering->model);
    const struct tile_strides from = strides(lowering, dim * FP32_BYTES);
    struct tile_strides to;
    struct levee_sfu_operation* out = vectors(lowering, LEVEE_SFU_QUANTISE, descriptor);
    out->n = dim;
    out->x = tiling_of(lowering, pass)->place.mixed;
    out->x_stride[1] = from.member;
    out->x_stride[2] = from.row;
    out->out = mixed(lowering, &slices, &to);
    out->out_stride[1] = to.member;
    out->out_stride[2] = to.row;
    say_last_read(lowering, descriptor);
}

static void lower_tile_accumulate(const struct lowering* lowering, const struct pass* pass,
                                  const struct operation* operation,
                                  struct levee_descriptor* descriptor)
{
    const struct cache* cache = &lowering->placement->cache;
    const struct tile* tile = lowering->tile;
    const bool logits = lowering->policy->score == LEVEE_KV_SCORE_LOGIT;
    const uint32_t head = operation->layer * lowering->model->header.kv_heads + tile->head;
    struct levee_se_operation* out = evictor_operation(descriptor);
    descriptor->opcode = LEVEE_SE_ACCUMULATE;
    out->outer[0] = 1;
    out->outer[1] = (uint16_t)tile->heads;
    out->rows = (uint16_t)tile->rows;
    out->group = (uint16_t)group_of(lowering);
    out->n = tile->keys;
    out->score = lowering->policy->score;
    out->scores = LEVEE_STREAM(logits ? LEVEE_PORT_ARRAY : LEVEE_PORT_FUNCTIONS);
    /* With a window, a tile may have fewer keys than queries. The flag is then not used, and masked
     * results are 0. */
    out->flags = tile_is_last(pass, tile) && pass->window == 0 ? LEVEE_SE_CAUSAL : 0;
    out->importance = cache->prefill.importance +
                      ((uint64_t)head * cache->prefilled + tile->key) * IMPORTANCE_BYTES;
    out->importance_stride[1] = (int32_t)(cache->prefilled * IMPORTANCE_BYTES);
}

/* Describes votes for a tile. They need whole vectors: either one tile has all keys, or the
 * probabilities are computed again. */
static void lower_tile_vote(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct tile* tile = lowering->tile;
    lower_vote(lowering, pass, operation, descriptor);
    struct levee_ve_operation* out = voting_operation(descriptor);
    out->votes += (uint64_t)VOTE_BYTES * tile->key;
    out->n = tile->keys;
    out->outer[1] = (uint16_t)(tile->heads * group_of(lowering));
    out->rows = (uint16_t)tile->rows;
    out->lengths = 0; /* the last query attends to all n keys */
    out->now = position_of(lowering, pass);
}

static bool before_keys(const struct lowering* lowering, const struct pass* pass,
                        const struct tile* tile)
{
    (void)lowering, (void)pass;
    return !tile->again && tile_is_first(pass, tile);
}

static bool after_keys(const struct lowering* lowering, const struct pass* pass,
                       const struct tile* tile)
{
    return !tile->again && tile_is_last(pass, tile) && tile_is_one_of_many(lowering, pass, tile);
}

static bool is_again(const struct lowering* lowering, const struct pass* pass,
                     const struct tile* tile)
{
    (void)lowering, (void)pass;
    return tile->again;
}

/* Returns whether these probabilities count for importance. If they were computed in parts, they
 * count only in the second pass over the tiles. */
static bool is_final(const struct lowering* lowering, const struct pass* pass,
                     const struct tile* tile)
{
    const bool waits = lowering->policy->score == LEVEE_KV_SCORE_SOFTMAX &&
                       tile_is_one_of_many(lowering, pass, tile);
    return tile->again == waits;
}

const struct tiled tiled_query = {&attention_tiles, lower_tile_query, before_keys, NULL};
const struct tiled tiled_scores = {&attention_tiles, lower_tile_scores, NULL, NULL};
const struct tiled tiled_softmax = {&attention_tiles, lower_tile_softmax, NULL, NULL};
const struct tiled tiled_mix = {&attention_tiles, lower_tile_mix, NULL, NULL};
const struct tiled tiled_accumulate = {&attention_tiles, lower_tile_accumulate, is_final, NULL};
const struct tiled tiled_vote = {&attention_tiles, lower_tile_vote, is_final, NULL};
const struct tiled tiled_settle = {&attention_tiles, lower_settle, after_keys, NULL};
const struct tiled tiled_rescore = {&attention_tiles, lower_rescore, is_again, NULL};
const struct tiled tiled_weigh = {&attention_tiles, lower_weigh, is_again, NULL};
