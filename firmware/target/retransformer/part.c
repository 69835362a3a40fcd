// SPDX-License-Identifier: Apache-2.0
/* Crossbars hold the matrices of the layers and multiply by them (ReTransformer). Attention has
 * one of three forms:
 *
 *  plain      keys and values are written by columns, then read
 *  by layers  decomposed, (Q W_K^T) X^T and (S X) W_V: X is written once, early; one product
 *             runs after the other
 *  pipelined  decomposed, but each vector goes through both products at once
 *
 * With RoPE, rotated keys differ from X W_K^T, so scores are plain products. */

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/retransformer/lower.h"
#include "firmware/target/systolic/parts.h"

#include <stddef.h>
#include <stdio.h>

static void open_crossbars(const struct machine* target, const struct placement* placement);

static void check_layer(const struct layer* layer)
{
    const struct matrix* const matrices[] = {&layer->qkv, &layer->output, &layer->up, &layer->down};
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; ++i) {
        if (matrices[i]->kept == 0)
            fatal(EXIT_REFUSED,
                  "scheduler %s: the matrices of the layers are not in crossbars; expected "
                  "crossbars with the role weights",
                  system_scheduler());
        if (matrices[i]->scale == 0)
            fatal(EXIT_REFUSED, "model image: the layers' weights have no scales; "
                                "expected INT8 or INT4 weights");
    }
}

static void check_model(const struct model* model)
{
    model_need_codes(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i)
        check_layer(&model->layers[i]);
    if (model->header.kept_bytes != sizeof(struct levee_reram_kept))
        fatal(EXIT_REFUSED, "scheduler %s: the memory with the role weights has no crossbars",
              system_scheduler());
}

/* Computes out[i] = values[i] * factors[...]. The query heads that share a key/value head use the
 * same factors. */
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

/* Multiplies the scales and biases of W_Q by the scales of W_K. With the resulting query q', the
 * product R = q' W_K needs only the integers of W_K. */
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

static uint64_t attention_units(const struct cache* cache, const struct retransformer* machine)
{
    const struct levee_model_header* shape = &cache->model->header;
    uint64_t units = 0;
    for (uint32_t i = 0; i < shape->layers; ++i)
        units += (uint64_t)cache->batch *
                 retransformer_entry_units(machine, shape, cache->layers[i].slots);
    return units;
}

/* Ends the run because there are too few units. The weights take the first `unit` units, and `all`
 * units are needed in total. */
static _Noreturn void refuse_units(const struct cache* cache, const struct retransformer* machine,
                                   uint32_t unit, uint64_t all)
{
    const uint32_t slots = cache->policy->widest;
    const uint32_t entry_units = retransformer_entry_units(machine, &cache->model->header, slots);
    fatal(EXIT_REFUSED,
          "scheduler %s: the crossbars have %lu units; %lu hold weights, and attention over %lu "
          "tokens of %lu sequences needs %lu in each layer; expected at least %lu units in total",
          system_scheduler(), (unsigned long)reram_register(LEVEE_RERAM_UNITS), (unsigned long)unit,
          (unsigned long)slots, (unsigned long)cache->batch,
          (unsigned long)(cache->batch * entry_units), (unsigned long)all);
}

/* Places attention's units after those of the weights. */
static void place_attention(const struct placement* placement, uint32_t unit,
                            struct retransformer* machine)
{
    const struct cache* cache = &placement->cache;
    const struct levee_model_header* shape = &cache->model->header;
    const uint64_t all = unit + attention_units(cache, machine);
    const uint32_t units = reram_register(LEVEE_RERAM_UNITS);
    if (all > units)
        refuse_units(cache, machine, unit, all);
    for (uint32_t i = 0; i < shape->layers; ++i) {
        const uint32_t slots = cache->layers[i].slots;
        const uint32_t entry_units = retransformer_entry_units(machine, shape, slots);
        struct retransformer_layer* layer = &machine->layers[i];
        if (cache->layers[i].part_count != 1)
            fatal(EXIT_REFUSED,
                  "scheduler %s: the cache of a layer is in %lu memories; expected one memory with "
                  "the role kv and room for it",
                  system_scheduler(), (unsigned long)cache->layers[i].part_count);
        layer->attention = heap_take(cache->batch * sizeof *layer->attention, "stages");
        for (uint32_t entry = 0; entry < cache->batch; ++entry, unit += entry_units)
            retransformer_set_attention(machine, shape, slots, unit, layer->qkv,
                                        &layer->attention[entry]);
    }
}

struct retransformer crossbars;

static void open_crossbars(const struct machine* target, const struct placement* placement)
{
    const struct machine_part* attention = machine_attention(target);
    const struct model* model = placement->cache.model;
    const struct levee_model_header* header = &model->header;
    const bool learned = header->position == LEVEE_POSITION_LEARNED;
    struct retransformer* machine = &crossbars;
    const size_t bytes = header->kept_count * sizeof(struct levee_reram_kept);
    struct levee_reram_kept* kept = heap_take(bytes, "the records of kept matrices");
    copy_in(kept, model->address + header->kept_offset, bytes, "the records of kept matrices");
    machine->in_crossbars = attention->open == open_crossbars;
    machine->decomposed = attention->separate;
    machine->scores_decomposed = machine->decomposed && learned;
    machine->pipelined = attention == &part_crossbar_attention_pipelined;
    machine->layers = heap_take(header->layers * sizeof *machine->layers, "the layers");
    for (uint32_t i = 0; i < header->layers; ++i)
        retransformer_set_linear(machine, model, i, kept, &machine->layers[i]);
    const struct levee_reram_kept* last = &kept[header->kept_count - 1];
    if (machine->in_crossbars)
        place_attention(placement, last->unit + last->units, machine);
    if (machine->scores_decomposed)
        fold_scales(model, machine);
}

/* Reports the layers whose scores are plain products although the machine decomposes attention. For
 * each of these layers, it reports the time for programming one token's keys. */
static void report(const struct lowering* lowering)
{
    const struct retransformer* machine = &crossbars;
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

static const struct part_row weight_rows[] = {
    {OPERATION_LINEAR,
     {.partners = &retransformer_linear, .is_needed = retransformer_linear_is_needed}},
};

static const uint8_t reread[] = {VALUE_NORMED};

const struct machine_part part_crossbar_weights = {
    .name = "crossbars",
    .roles = 1u << PART_WEIGHTS,
    .whole_qkv = true,
    ROWS(weight_rows),
    .set_formats = systolic_weight_formats,
    REREAD(reread),
    .check_model = check_model,
    .lacks = LACKS_OF_crossbar_weights,
    .open = open_crossbars,
    .report = report,
};

static const struct part_row attention_rows[] = {
    {OPERATION_STORE_KEY,
     {.unit = &class_functions, .lower = lower_store, .is_needed = retransformer_key_is_needed}},
    {OPERATION_STORE_VALUE, {.partners = &retransformer_store_value}},
    {OPERATION_SCORES, {.partners = &retransformer_scores}},
    {OPERATION_SOFTMAX,
     {.unit = &class_functions, .lower = retransformer_softmax, .patch = patch_softmax}},
    {OPERATION_MIX, {.partners = &retransformer_mix}},
};

#define ATTENTION(its_name, its_part, decomposes)                                                  \
    {                                                                                              \
        .name = its_name, .roles = 1u << PART_ATTENTION, ROWS(attention_rows),                     \
        .set_formats = systolic_attention_formats, .kv_forms = systolic_kv_forms,                  \
        .kv_form_count = 1, .kv_scaled = true, ACTIVATIONS(systolic_activations),                  \
        .needs_weights = &part_crossbar_weights, .separate = decomposes, .open = open_crossbars,   \
        .lacks = LACKS_OF_##its_part, .abilities = ATTENTION_RINGS,                                \
        .keeps_vectors = KEEPS_OF_##its_part,                                                      \
    }

const struct machine_part part_crossbar_attention =
    ATTENTION("crossbars", crossbar_attention, false);
const struct machine_part part_crossbar_attention_by_layers =
    ATTENTION("decomposed", crossbar_attention_by_layers, true);
const struct machine_part part_crossbar_attention_pipelined =
    ATTENTION("pipelined", crossbar_attention_pipelined, true);
