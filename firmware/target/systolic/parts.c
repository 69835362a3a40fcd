// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/systolic/parts.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"
#include "firmware/target/systolic/recompute.h"
#include "firmware/target/systolic/rows.h"
#include "firmware/target/systolic/tiles.h"

#include <stddef.h>

#define CODES                                                                                      \
    {                                                                                              \
        INT16_BYTES, FP32_BYTES, LEVEE_TYPE_INT16                                                  \
    }
#define NUMBERS                                                                                    \
    {                                                                                              \
        FP32_BYTES, 0, LEVEE_TYPE_FP32                                                             \
    }

static void set(struct value_format* formats, const uint8_t* values, uint32_t count,
                struct value_format format)
{
    for (uint32_t i = 0; i < count; ++i)
        formats[values[i]] = format;
}

/* Operands of products with weights that the array reads again for every fold. The array also reads
 * queries again for every fold. */
const uint8_t systolic_reread[3] = {VALUE_NORMED, VALUE_ATTENDED, VALUE_ACTIVATED};
static const uint8_t reread_by_attention[] = {VALUE_QUERY};

void systolic_weight_formats(const struct model* model, struct value_format* formats)
{
    static const uint8_t numbers[] = {VALUE_X,        VALUE_QKV,        VALUE_RAW_QUERY,
                                      VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_PROJECTED,
                                      VALUE_EXPANDED, VALUE_CHOICE,     VALUE_LOGITS};
    (void)model;
    set(formats, systolic_reread, sizeof systolic_reread, (struct value_format)CODES);
    set(formats, numbers, sizeof numbers, (struct value_format)NUMBERS);
}

/* Sets the formats for attention. The cache's tables have the scales of staged vectors. */
void systolic_attention_formats(const struct model* model, struct value_format* formats)
{
    static const uint8_t codes[] = {VALUE_QUERY, VALUE_PROBABILITIES};
    static const uint8_t numbers[] = {VALUE_SCORES, VALUE_MIXED};
    static const uint8_t staged[] = {VALUE_STAGED_KEYS, VALUE_STAGED_VALUES};
    (void)model;
    set(formats, codes, sizeof codes, (struct value_format)CODES);
    set(formats, numbers, sizeof numbers, (struct value_format)NUMBERS);
    set(formats, staged, sizeof staged, (struct value_format){INT16_BYTES, 0, LEVEE_TYPE_INT16});
}

const struct kv_form systolic_kv_forms[SYSTOLIC_KV_FORMS] = {
    {16, LEVEE_TYPE_INT16}, {8, LEVEE_TYPE_INT8}, {4, LEVEE_TYPE_INT4}};

const uint8_t systolic_activations[SYSTOLIC_ACTIVATIONS] = {
    VALUE_X,        VALUE_NORMED,     VALUE_QUERY,       VALUE_QKV,           VALUE_RAW_QUERY,
    VALUE_RAW_KEYS, VALUE_RAW_VALUES, VALUE_STAGED_KEYS, VALUE_STAGED_VALUES, VALUE_PROJECTED,
    VALUE_MIXED,    VALUE_ATTENDED,   VALUE_EXPANDED,    VALUE_ACTIVATED,     VALUE_PROBABILITIES,
    VALUE_SCORES,   VALUE_CHOICE,     VALUE_LOGITS,
};

static void check_weights(const struct matrix* matrix, const char* what)
{
    if (matrix->data == 0)
        fatal(EXIT_REFUSED,
              "model image: the memory with the role weights keeps the matrices of %s; scheduler "
              "%s reads them from the memory with the role model",
              what, system_scheduler());
    model_need_codes(matrix, what);
}

static void check_latent(const struct layer* layer)
{
    check_weights(&layer->query, "a layer");
    check_weights(&layer->key, "a layer");
    check_weights(&layer->latent->key_up, "a layer");
    check_weights(&layer->latent->value_up, "a layer");
}

static void check_model(const struct model* model)
{
    check_weights(&model->classifier, "the classifier");
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        const struct matrix* const matrices[] = {&layer->output, &layer->up, &layer->down};
        if (layer->latent != NULL)
            check_latent(layer);
        else
            check_weights(&layer->qkv, "a layer");
        for (size_t j = 0; j < sizeof matrices / sizeof *matrices; ++j)
            check_weights(matrices[j], "a layer");
    }
}

/* Returns the limits on recomputed rows. Two numbers have only 16 bits. One is the function unit's
 * strides, by which it finds the positions of recomputed rows. The other is the number of rows in
 * one product, which includes the arriving tokens of all entries. */
static struct recompute_room recompute_room(const struct model* model, uint32_t batch)
{
    const uint32_t reached = UINT16_MAX / WORD_BYTES;
    const uint32_t of_product = UINT16_MAX / batch - 1;
    return (struct recompute_room){recompute_hidden_rows(model, batch),
                                   reached < of_product ? reached : of_product};
}

static const struct part_row weight_rows[] = {
    {OPERATION_LINEAR,
     {.unit = &class_array,
      .lower = lower_linear,
      .patch_recomputed = patch_linear_rows,
      .split = &split_columns,
      .tiled = &tiled_linear}},
};

const struct machine_part part_systolic_weights = {
    .name = "systolic",
    .roles = 1u << PART_WEIGHTS,
    ROWS(weight_rows),
    .set_formats = systolic_weight_formats,
    REREAD(systolic_reread),
    .tiles = true,
    .recomputes = true,
    .last_reads = true,
    .spill_role = LEVEE_ROLE_WEIGHTS_RING,
    .check_model = check_model,
    .recompute_room = recompute_room,
};

static void report_tiles(const struct lowering* lowering)
{
    if (lowering->machine->tiling != NULL)
        tiles_report(&lowering->common->tiling, lowering->placement);
}

static const struct part_row attention_rows[] = {
    {OPERATION_SCORES,
     {.unit = &class_array_kv,
      .lower = lower_scores,
      .by_part = lower_by_part,
      .patch_recomputed = patch_redirect,
      .split = &split_heads,
      .tiled = &tiled_scores}},
    {OPERATION_SOFTMAX,
     {.unit = &class_functions,
      .lower = lower_softmax,
      .by_part = lower_by_part,
      .patch = patch_softmax,
      .tiled = &tiled_softmax}},
    {OPERATION_MIX,
     {.unit = &class_array_kv,
      .lower = lower_mix,
      .by_part = lower_by_part,
      .patch_recomputed = patch_redirect,
      .split = &split_heads,
      .tiled = &tiled_mix}},
    {OPERATION_SETTLE, {&class_functions, .tiled = &tiled_settle}},
    {OPERATION_RESCORE, {&class_array_kv, .tiled = &tiled_rescore}},
    {OPERATION_WEIGH, {&class_functions, .tiled = &tiled_weigh}},
};

const struct machine_part part_systolic_attention = {
    .name = "systolic",
    .roles = 1u << PART_ATTENTION,
    ROWS(attention_rows),
    .set_formats = systolic_attention_formats,
    REREAD(reread_by_attention),
    .last_reads = true,
    .abilities = ATTENTION_EVICTS | ATTENTION_WEIGHS | ATTENTION_LOGITS | ATTENTION_LISTS |
                 ATTENTION_REDIRECTS | ATTENTION_UNPACKS | ATTENTION_RINGS | ATTENTION_BANDS,
    .ports = LEVEE_PORT_FUNCTIONS + 1,
    .importance_port = LEVEE_PORT_FUNCTIONS,
    .kv_forms = systolic_kv_forms,
    .kv_form_count = SYSTOLIC_KV_FORMS,
    .kv_scaled = true,
    ACTIVATIONS(systolic_activations),
    .tiling = &systolic_tiling,
    .report = report_tiles,
};
