// SPDX-License-Identifier: Apache-2.0
/* Variants of passes in a sampled run. Each variant executes only some of the layers. Identical
 * layers form a kind. A kind is sampled if it has more than three times workload.sample_layers
 * layers. The first variant executes sample_layers layers of each sampled kind. For each sampled
 * kind, one more variant executes twice as many layers of this kind. The difference between this
 * variant and the first is the cost of the additional layers. Each part's weight follows from it,
 * so that the weighted parts add up to the whole model. The last variant has weight 0 and checks
 * the others: it executes three times sample_layers layers of all sampled kinds. All variants
 * execute all layers of kinds that are not sampled. */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/inlining.h"
#include "firmware/hal/system.h"
#include "firmware/session/sampled.h"

#include <stddef.h>

#define FEWEST 1u
#define TWICE 2u
#define THRICE 3u

/* Returns the index of the memory that contains an address; if there is none, the number of
 * memories. */
static uint32_t memory_of(uint64_t address)
{
    const struct levee_boot_info* info = system_info();
    uint32_t memory = 0;
    while (memory < info->memory_count &&
           address - info->memories[memory].base >= info->memories[memory].size)
        ++memory;
    return memory;
}

static bool both_or_none(uint64_t a, uint64_t b)
{
    return (a != 0) == (b != 0);
}

static bool matrices_alike(const struct matrix* a, const struct matrix* b)
{
    return a->rows == b->rows && a->cols == b->cols && a->row_bytes == b->row_bytes &&
           a->group == b->group && a->type == b->type && a->experts == b->experts &&
           a->heads == b->heads && a->columns_first == b->columns_first &&
           both_or_none(a->scale, b->scale) && both_or_none(a->bias, b->bias) &&
           both_or_none(a->kept, b->kept) && memory_of(a->data) == memory_of(b->data);
}

static bool norms_alike(const struct norm* a, const struct norm* b)
{
    return both_or_none(a->gain, b->gain) && both_or_none(a->bias, b->bias);
}

static bool mixtures_alike(const struct mixture* a, const struct mixture* b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return matrices_alike(&a->router, &b->router) && matrices_alike(&a->shared_up, &b->shared_up) &&
           matrices_alike(&a->shared_down, &b->shared_down) &&
           matrices_alike(&a->shared_gate, &b->shared_gate) &&
           both_or_none(a->choice_bias, b->choice_bias);
}

static bool latents_alike(const struct latent* a, const struct latent* b)
{
    if (a == NULL || b == NULL)
        return a == b;
    return matrices_alike(&a->query, &b->query) && norms_alike(&a->query_norm, &b->query_norm) &&
           matrices_alike(&a->key_up, &b->key_up) && matrices_alike(&a->value_up, &b->value_up) &&
           norms_alike(&a->norm, &b->norm);
}

static bool layer_norms_alike(const struct layer* a, const struct layer* b)
{
    return norms_alike(&a->attention_norm, &b->attention_norm) &&
           norms_alike(&a->ffn_norm, &b->ffn_norm) &&
           norms_alike(&a->attention_after, &b->attention_after) &&
           norms_alike(&a->ffn_after, &b->ffn_after) &&
           norms_alike(&a->query_norm, &b->query_norm) && norms_alike(&a->key_norm, &b->key_norm);
}

static bool layer_matrices_alike(const struct layer* a, const struct layer* b)
{
    return matrices_alike(&a->qkv, &b->qkv) && matrices_alike(&a->query, &b->query) &&
           matrices_alike(&a->key, &b->key) && matrices_alike(&a->value, &b->value) &&
           matrices_alike(&a->output, &b->output) && matrices_alike(&a->up, &b->up) &&
           matrices_alike(&a->down, &b->down);
}

static bool layers_alike(const struct layer* a, const struct layer* b)
{
    return a->flags == b->flags && both_or_none(a->rope_phase, b->rope_phase) &&
           both_or_none(a->sinks, b->sinks) && layer_norms_alike(a, b) &&
           layer_matrices_alike(a, b) && mixtures_alike(a->mixture, b->mixture) &&
           latents_alike(a->latent, b->latent);
}

static bool parts_alike(const struct part* a, const struct part* b)
{
    return a->entry == b->entry && a->entries == b->entries && a->head == b->head &&
           a->heads == b->heads && a->refreshed == b->refreshed &&
           memory_of(a->keys) == memory_of(b->keys);
}

static bool caches_alike(const struct cache_layer* a, const struct cache_layer* b)
{
    bool alike = a->local == b->local && a->masked == b->masked && a->slots == b->slots &&
                 a->part_count == b->part_count;
    for (uint32_t i = 0; alike && i < a->part_count; ++i)
        alike = parts_alike(&a->parts[i], &b->parts[i]);
    return alike;
}

/* Returns whether the passes of one layer can represent those of another. The layers' shapes,
 * places and caches must be equal. Their data may differ. */
static bool alike(const struct session* session, uint32_t a, uint32_t b)
{
    const struct layer* const layers = session->model.layers;
    const struct cache_layer* const caches = session->placement.cache.layers;
    return layers_alike(&layers[a], &layers[b]) && caches_alike(&caches[a], &caches[b]);
}

/* The layers of a model, grouped by kind. */
struct kinds {
    uint32_t* of;    /* by layer: the first identical layer */
    uint32_t* count; /* by that first layer: the number of identical layers */
    uint32_t* rank;  /* by layer: the number of earlier layers of the same kind */
    uint32_t layers, fewest;
};

static uint32_t* words(uint32_t count)
{
    return heap_take(count * sizeof(uint32_t), "the samples of layers");
}

static struct kinds kinds_of(const struct session* session)
{
    const uint32_t layers = session->model.header.layers;
    struct kinds kinds = {words(layers), words(layers), words(layers), layers,
                          session->workload->sample_layers};
    for (uint32_t layer = 0; layer < layers; ++layer) {
        uint32_t first = 0;
        while (first != layer && (kinds.of[first] != first || !alike(session, first, layer)))
            ++first;
        kinds.of[layer] = first;
        kinds.rank[layer] = kinds.count[first]++;
    }
    return kinds;
}

/* Returns whether the layer is the first of a sampled kind. A sampled kind has more layers than any
 * variant executes of it. With refreshed rows it has more than twice as many, because a part finds
 * half of the rows stored. With stored inputs no kind is sampled, because a step depends on earlier
 * steps and cannot run twice. */
static bool is_sampled(const struct session* session, const struct kinds* kinds, uint32_t layer)
{
    const uint32_t most = session->placement.cache.refreshed != 0 ? 2 * THRICE : THRICE;
    return session->policy.input_rows == 0 && kinds->of[layer] == layer &&
           kinds->count[layer] > most * kinds->fewest;
}

/* Returns the layers of a variant. It has `most` layers of `kind`, and sample_layers layers of each
 * other sampled kind. If `kind` is the number of layers, it has `most` layers of all sampled
 * kinds. */
static struct layer_list layers_of(const struct session* session, const struct kinds* kinds,
                                   uint32_t kind, uint32_t most)
{
    uint32_t* const list = words(kinds->layers);
    uint32_t count = 0;
    for (uint32_t layer = 0; layer < kinds->layers; ++layer) {
        const uint32_t first = kinds->of[layer];
        const uint32_t share = kind == first || kind == kinds->layers ? most : FEWEST;
        if (!is_sampled(session, kinds, first) || kinds->rank[layer] < share * kinds->fewest)
            list[count++] = layer;
    }
    return (struct layer_list){list, count};
}

static NEVER_INLINE void open_way(struct session* session, struct way* way)
{
    session_open_way(session, way);
}

static void add_way(struct session* session, const struct layer_list* layers, int32_t times)
{
    struct way* way = &session->ways[session->way_count++];
    way->layers = *layers;
    way->times = times;
    for (uint32_t i = 0; i < layers->count; ++i)
        session->shares[layers->numbers[i]] = LAYER_PASSED;
    sampled_begin_left_out(times);
    open_way(session, way);
}

/* Returns the weight of a kind: the number of its layers beyond the first sample_layers, divided by
 * sample_layers. */
static int32_t times_of(const struct kinds* kinds, uint32_t kind)
{
    return (int32_t)((kinds->count[kind] - kinds->fewest) * (LEVEE_MARK_ONCE / kinds->fewest));
}

static uint32_t sampled_kinds(const struct session* session, const struct kinds* kinds)
{
    uint32_t count = 0;
    for (uint32_t layer = 0; layer < kinds->layers; ++layer)
        count += is_sampled(session, kinds, layer);
    return count;
}

/* Marks up to `count` layers that have this share as early. If `local` is set, it marks only local
 * layers, otherwise only layers that are not local. */
static void make_early(struct session* session, enum layer_share share, bool local, uint32_t count)
{
    for (uint32_t layer = 0; layer < session->model.header.layers && count != 0; ++layer)
        if (session->shares[layer] == share &&
            session->placement.cache.layers[layer].local == local) {
            ++session->shares[layer]; /* Turns the share into its early counterpart. */
            --count;
        }
}

/* Makes half of the layers early, separately among local layers and among the others. Layers that
 * passes execute are marked first, so that every variant finds the same number of rows stored.
 * Layers that passes omit are marked after them. */
static void choose_early(struct session* session)
{
    for (unsigned local = 0; local < 2; ++local) {
        uint32_t all = 0, passed = 0;
        for (uint32_t layer = 0; layer < session->model.header.layers; ++layer)
            if (session->placement.cache.layers[layer].local == local) {
                ++all;
                passed += session->shares[layer] == LAYER_PASSED;
            }
        make_early(session, LAYER_PASSED, local, all / 2);
        make_early(session, LAYER_LEFT_OUT, local, all / 2 > passed ? all / 2 - passed : 0);
    }
}

void sampled_open_ways(struct session* session)
{
    sampled_begin_left_out(0);
    const struct kinds kinds = kinds_of(session);
    const uint32_t sampled = sampled_kinds(session, &kinds), none = LEVEE_NO_LAYER;
    session->ways = heap_take((sampled + 2) * sizeof *session->ways, "programs");
    session->shares = heap_take(kinds.layers, "the samples of layers");
    int32_t rest = LEVEE_MARK_ONCE;
    for (uint32_t layer = 0; layer < kinds.layers; ++layer)
        if (is_sampled(session, &kinds, layer))
            rest -= times_of(&kinds, layer);
    const struct layer_list fewest = layers_of(session, &kinds, none, FEWEST);
    add_way(session, &fewest, rest);
    for (uint32_t layer = 0; layer < kinds.layers; ++layer)
        if (is_sampled(session, &kinds, layer)) {
            const struct layer_list twice = layers_of(session, &kinds, layer, TWICE);
            add_way(session, &twice, times_of(&kinds, layer));
        }
    if (sampled != 0) {
        const struct layer_list thrice = layers_of(session, &kinds, kinds.layers, THRICE);
        add_way(session, &thrice, 0);
        --session->way_count; /* The variant has no weight, so it is not counted. */
    }
    choose_early(session);
    session->way = &session->ways[session->way_count - 1];
    hostlink_end();
    hostlink_metric_u64("sampling.layers", session->way->layers.count);
    hostlink_metric_u64("sampling.layers_of", kinds.layers);
}
