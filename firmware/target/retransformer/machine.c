// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/retransformer/machine.h"

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/retransformer/lower.h"
#include "firmware/target/systolic/refresh.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Units are numbered in this order. */
static const struct unit_class classes[] = {
    [CLASS_CROSSBARS] = {.type = (enum levee_block_type)LEVEE_BLOCK_RERAM, .name = "crossbars"},
    [CLASS_ARRAY] = {.type = LEVEE_BLOCK_RSA, .name = "systolic array"},
    [CLASS_FUNCTIONS] = {.type = LEVEE_BLOCK_SFU, .name = "function unit"},
    [CLASS_DMA] = {.type = LEVEE_BLOCK_DMA, .name = "DMA engine", .is_used = refresh_is_filled},
};

/* Both machines fill refreshed memory alike; no tokens are weighed. */
#define REFRESHED_ROWS                                                                             \
    [OPERATION_FILL_KEYS] = {CLASS_DMA, lower_fill_vectors, lower_by_part, refresh_has_rows},      \
    [OPERATION_FILL_VALUES] = {CLASS_DMA, lower_fill_vectors, lower_by_part, refresh_has_rows},    \
    [OPERATION_FILL_VIEWS] = {.left_out = true}

/* Every operation, the unit that does it, and how. */
static const struct machine_row rows_on_array[] = {
    [OPERATION_EMBED] = {CLASS_FUNCTIONS, lower_embed, .patch = patch_embed},
    [OPERATION_NORM] = {CLASS_FUNCTIONS, lower_norm},
    [OPERATION_LINEAR] = {.partners = &retransformer_linear},
    [OPERATION_QUERY] = {CLASS_FUNCTIONS, lower_query},
    [OPERATION_STORE_KEY] = {CLASS_FUNCTIONS, lower_store, lower_by_part},
    [OPERATION_STORE_VALUE] = {CLASS_FUNCTIONS, lower_store, lower_by_part},
    [OPERATION_SCORES] = {CLASS_ARRAY, lower_scores, lower_by_part},
    [OPERATION_SOFTMAX] = {CLASS_FUNCTIONS, lower_softmax, lower_by_part, .patch = patch_softmax},
    [OPERATION_MIX] = {CLASS_ARRAY, lower_mix, lower_by_part},
    [OPERATION_QUANTISE] = {CLASS_FUNCTIONS, lower_quantise},
    [OPERATION_ADD] = {CLASS_FUNCTIONS, lower_add},
    [OPERATION_ACTIVATE] = {CLASS_FUNCTIONS, lower_activate, .reads_twice = true},
    [OPERATION_PICK] = {CLASS_FUNCTIONS, lower_pick, .patch = patch_pick},

    REFRESHED_ROWS,
};

static const struct machine_row rows_in_crossbars[] = {
    [OPERATION_EMBED] = {CLASS_FUNCTIONS, lower_embed, .patch = patch_embed},
    [OPERATION_NORM] = {CLASS_FUNCTIONS, lower_norm},
    [OPERATION_LINEAR] = {.partners = &retransformer_linear,
                          .is_needed = retransformer_linear_is_needed},
    [OPERATION_QUERY] = {CLASS_FUNCTIONS, lower_query},
    [OPERATION_STORE_KEY] = {CLASS_FUNCTIONS, lower_store,
                             .is_needed = retransformer_key_is_needed},
    [OPERATION_STORE_VALUE] = {.partners = &retransformer_store_value},
    [OPERATION_SCORES] = {.partners = &retransformer_scores},
    [OPERATION_SOFTMAX] = {CLASS_FUNCTIONS, retransformer_softmax, .patch = patch_softmax},
    [OPERATION_MIX] = {.partners = &retransformer_mix},
    [OPERATION_QUANTISE] = {CLASS_FUNCTIONS, lower_quantise},
    [OPERATION_ADD] = {CLASS_FUNCTIONS, lower_add},
    [OPERATION_ACTIVATE] = {CLASS_FUNCTIONS, lower_activate, .reads_twice = true},
    [OPERATION_PICK] = {CLASS_FUNCTIONS, lower_pick, .patch = patch_pick},

    REFRESHED_ROWS,
};

static const uint8_t activations[] = {
    VALUE_X,        VALUE_NORMED,     VALUE_QUERY,         VALUE_QKV,    VALUE_RAW_QUERY,
    VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_PROJECTED,     VALUE_MIXED,  VALUE_ATTENDED,
    VALUE_EXPANDED, VALUE_ACTIVATED,  VALUE_PROBABILITIES, VALUE_SCORES, VALUE_LOGITS,
};

static const uint8_t reread[] = {VALUE_NORMED};

static void check_layer(const struct layer* layer)
{
    const struct matrix* const matrices[] = {&layer->qkv, &layer->output, &layer->up, &layer->down};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
        if (matrices[i]->kept == 0)
            fatal(
                EXIT_REFUSED,
                "scheduler %s: no crossbars have the role weights, and the matrices of the layers",
                system_info()->scheduler);
        if (matrices[i]->scale == 0)
            fatal(EXIT_REFUSED, "model image: a layer has no scales");
    }
}

static void check_model(const struct model* model)
{
    model_need_codes(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i)
        check_layer(&model->layers[i]);
    if (model->header.kept_bytes != sizeof(struct levee_reram_kept))
        fatal(EXIT_REFUSED, "scheduler %s: the memory with the role weights has no crossbars",
              system_info()->scheduler);
}

static struct recompute_room recompute_room(const struct model* model, uint32_t batch)
{
    (void)model, (void)batch;
    return (struct recompute_room){0, 0};
}

static bool never(void)
{
    return false;
}

static void reserve(struct space* space)
{
    (void)space;
}

/* out[i] = values[i] * factors[...], the factors of a key/value head for each of its query heads.
 */
static float* folded(const struct levee_model_header* shape, uint64_t values, const float* factors)
{
    const uint32_t count = shape->heads * shape->head_dim;
    const uint32_t group = shape->heads / shape->kv_heads;
    if (values == 0)
        return NULL;
    float* out = heap_take(count * sizeof *out, "scales of queries");
    copy_in(out, values, count * sizeof *out, "scales of queries");
    for (uint32_t i = 0; i < count; ++i)
        out[i] *= factors[i / shape->head_dim / group * shape->head_dim + i % shape->head_dim];
    return out;
}

/* With q' = q times W_K's scales, row by row, R = q' W_K needs integers of W_K alone. */
static void fold_scales(const struct model* model, struct retransformer* machine)
{
    const struct levee_model_header* shape = &model->header;
    const uint32_t bytes = shape->kv_heads * shape->head_dim * FP32_BYTES;
    float* factors = heap_take(bytes, "scales of keys");
    for (uint32_t i = 0; i < shape->layers; ++i) {
        const struct layer* layer = &model->layers[i];
        copy_in(factors, layer->key.scale, bytes, "scales of keys");
        machine->layers[i].query_scale = folded(shape, layer->query.scale, factors);
        machine->layers[i].query_bias = folded(shape, layer->query.bias, factors);
    }
}

/* Units of attention begin behind those of the weights. */
static void place_attention(const struct placement* placement, uint32_t unit,
                            struct retransformer* machine)
{
    const struct cache* cache = &placement->cache;
    const struct levee_model_header* shape = &cache->model->header;
    const uint32_t entry_units = retransformer_entry_units(machine, shape, cache->slots);
    const uint64_t all = unit + (uint64_t)shape->layers * cache->batch * entry_units;
    const uint32_t units = reram_register(LEVEE_RERAM_UNITS);
    if (all > units)
        fatal(
            EXIT_REFUSED,
            "scheduler %s: the crossbars have %lu units; %lu have weights, and attention over %lu "
            "tokens of %lu sequences needs %lu of each layer: expected %lu in all",
            system_info()->scheduler, (unsigned long)units, (unsigned long)unit,
            (unsigned long)cache->slots, (unsigned long)cache->batch,
            (unsigned long)(cache->batch * entry_units), (unsigned long)all);
    for (uint32_t i = 0; i < shape->layers; ++i) {
        struct retransformer_layer* layer = &machine->layers[i];
        if (cache->layers[i].part_count != 1)
            fatal(EXIT_REFUSED,
                  "scheduler %s: the cache of a layer lies in %lu memories; expected one with the "
                  "role kv that has room for it",
                  system_info()->scheduler, (unsigned long)cache->layers[i].part_count);
        layer->attention = heap_take(cache->batch * sizeof *layer->attention, "stages");
        for (uint32_t entry = 0; entry < cache->batch; ++entry, unit += entry_units)
            retransformer_set_attention(machine, shape, cache->slots, unit, layer->qkv,
                                        &layer->attention[entry]);
    }
}

static void* open_machine(const struct target* target, const struct placement* placement)
{
    const struct model* model = placement->cache.model;
    const struct levee_model_header* header = &model->header;
    const bool learned = header->position == LEVEE_POSITION_LEARNED;
    struct retransformer* machine = heap_take(sizeof *machine, "the machine");
    const size_t bytes = header->kept_count * sizeof(struct levee_reram_kept);
    struct levee_reram_kept* kept = heap_take(bytes, "the records of kept matrices");
    copy_in(kept, model->address + header->kept_offset, bytes, "the records of kept matrices");
    machine->systolic.score_scale = 1.0f / sqrtf((float)header->head_dim);
    machine->systolic.array_columns = rsa_columns();
    machine->in_crossbars = target != &target_retransformer_weights;
    machine->decomposed = target->separate;
    machine->scores_decomposed = machine->decomposed && learned;
    machine->pipelined = target == &target_retransformer;
    machine->layers = heap_take(header->layers * sizeof *machine->layers, "the layers");
    for (uint32_t i = 0; i < header->layers; ++i)
        retransformer_set_linear(machine, model, i, kept, &machine->layers[i]);
    const struct levee_reram_kept* last = &kept[header->kept_count - 1];
    if (machine->in_crossbars)
        place_attention(placement, last->unit + last->units, machine);
    if (machine->scores_decomposed)
        fold_scales(model, machine);
    return machine;
}

static void list_nothing(const struct lowering* lowering, struct operation_list* list)
{
    (void)lowering, (void)list;
}

/* Reports the layers whose scores are plain products although the machine decomposes: for each, how
 * long programming a token's keys takes. */
static void report(const struct lowering* lowering)
{
    const struct retransformer* machine = retransformer(lowering);
    const uint32_t layers = lowering->model->header.layers;
    const bool fell_back = machine->decomposed && !machine->scores_decomposed;
    char name[64];
    hostlink_metric_u64("retransformer.decomposed_products",
                        machine->decomposed ? layers * (fell_back ? 1u : 2u) : 0);
    hostlink_metric_u64("retransformer.plain_products", machine->in_crossbars
                                                            ? layers * (fell_back             ? 1u
                                                                        : machine->decomposed ? 0u
                                                                                              : 2u)
                                                            : 0);
    for (uint32_t i = 0; fell_back && i < layers; ++i) {
        snprintf(name, sizeof name, "retransformer.layer%lu.plain_scores_ns_a_token",
                 (unsigned long)i);
        hostlink_metric_u64(name, reram_register(LEVEE_RERAM_WRITE_NS));
    }
}

#define RETRANSFORMER_MACHINE(its_rows)                                                            \
    {                                                                                              \
        .classes = classes, .class_count = sizeof classes / sizeof *classes, .rows = its_rows,     \
        .row_count = sizeof its_rows / sizeof *its_rows,                                           \
        .placing = {.formats = lower_formats,                                                      \
                    .kv_forms = lower_kv_forms,                                                    \
                    .kv_form_count = 1,                                                            \
                    .kv_scaled = true,                                                             \
                    .activations = activations,                                                    \
                    .reread = reread,                                                              \
                    .activation_count = sizeof activations,                                        \
                    .reread_count = sizeof reread,                                                 \
                    .reread_roles = {LEVEE_ROLE_ACTIVATIONS, LEVEE_ROLE_ACTIVATIONS}},             \
        .check_model = check_model, .recompute_room = recompute_room,                              \
        .describe = refresh_describe, .invalidates = never, .reserve = reserve,                    \
        .open = open_machine, .start = refresh_start, .new_batch = refresh_new_batch,              \
        .list_new_batch = list_nothing, .report = report,                                          \
    }

static const struct machine on_array = RETRANSFORMER_MACHINE(rows_on_array);
static const struct machine in_crossbars = RETRANSFORMER_MACHINE(rows_in_crossbars);

const struct target target_retransformer_weights = {.name = "reram_weights", .machine = &on_array};
const struct target target_retransformer_plain = {.name = "reram_plain", .machine = &in_crossbars};
const struct target target_retransformer_layers = {
    .name = "reram_layers", .machine = &in_crossbars, .separate = true};
const struct target target_retransformer = {
    .name = "retransformer", .machine = &in_crossbars, .separate = true};
