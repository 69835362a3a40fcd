// SPDX-License-Identifier: Apache-2.0
/* Cores of compute-in-memory macros (Titanus). Each core holds one decoder layer and executes it
 * with one descriptor; a systolic array computes the classifier. If the cores are chained, one
 * descriptor takes a prompt through all of them. */

#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/systolic/parts.h"
#include "firmware/target/titanus/lower.h"
#include "ip/cpq/regs.h"

#include <math.h>
#include <stddef.h>

static bool is_final(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, uint32_t part)
{
    (void)lowering, (void)pass, (void)part;
    return operation->layer == LEVEE_NO_LAYER;
}

/* The first product of a layer represents the whole layer. It runs after the cached rows for
 * attention have been expanded, and before new rows are compressed. */
static const struct part_row rows[] = {
    {OPERATION_NORM, {.unit = &class_functions, .lower = lower_norm, .is_needed = is_final}},
    {OPERATION_LINEAR, {.partners = &titanus_linear, .is_needed = titanus_linear_is_needed}},
    {OPERATION_QUERY, {.left_out = true}},
    {OPERATION_STORE_KEY, {.left_out = true}},
    {OPERATION_STORE_VALUE, {.left_out = true}},
    {OPERATION_SCORES, {.left_out = true}},
    {OPERATION_SOFTMAX, {.left_out = true}},
    {OPERATION_MIX, {.left_out = true}},
    {OPERATION_QUANTISE, {.left_out = true}},
    {OPERATION_ADD, {.left_out = true}},
    {OPERATION_ACTIVATE, {.left_out = true}},
};

/* A layer reads and writes X, keys and values when the descriptor of its first product runs. */
static const uint8_t ordered_with[CACHE_VALUES] = {
    [VALUE_NORMED] = VALUE_X,
    [VALUE_QKV] = VALUE_X,
    [VALUE_KEYS] = VALUE_X,
    [VALUE_VALUES] = VALUE_X,
};

static const uint8_t activations[] = {VALUE_X, VALUE_NORMED, VALUE_LOGITS};
static const uint8_t reread[] = {VALUE_NORMED};

static void check_model(const struct model* model)
{
    const char* const scheduler = system_scheduler();
    const struct levee_block_info* block = system_block(LEVEE_BLOCK_CIM);
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no compute-in-memory cores");
    model_need_codes(&model->classifier, "the classifier");
    if (model->header.kept_count == 0 || model->header.kept_bytes != sizeof(struct levee_cim_kept))
        fatal(EXIT_REFUSED,
              "scheduler %s: the matrices of the layers are not in compute-in-memory cores; "
              "expected the role weights at such a memory",
              scheduler);
    if (cim_register(block, LEVEE_CIM_CORES) < model->header.layers)
        fatal(EXIT_REFUSED, "scheduler %s: the model has %lu layers, but there are only %lu cores",
              scheduler, (unsigned long)model->header.layers,
              (unsigned long)cim_register(block, LEVEE_CIM_CORES));
    if (model->layers[0].rope_phase != 0 && cim_register(block, LEVEE_CIM_ROTATES) == 0)
        fatal(EXIT_REFUSED,
              "scheduler %s: the model rotates queries and keys to their position (RoPE), and the "
              "cores have no unit for that; expected learned positions, or the key 'rotation' of "
              "the cores",
              scheduler);
}

static void describe_layer(const struct model* model, const struct layer* layer,
                           struct levee_cim_layer* out)
{
    const struct norm* const norms[] = {&layer->attention_norm, &layer->ffn_norm};
    const struct matrix* const matrices[LEVEE_CIM_MATRICES] = {&layer->qkv, &layer->output,
                                                               &layer->up, &layer->down};
    for (unsigned i = 0; i < 2; ++i) {
        out->norm_gain[i] = norms[i]->gain;
        out->norm_bias[i] = model->header.norm == LEVEE_NORM_LAYER ? norms[i]->bias : 0;
    }
    for (unsigned i = 0; i < LEVEE_CIM_MATRICES; ++i) {
        out->scale[i] = matrices[i]->scale;
        out->bias[i] = matrices[i]->bias;
    }
}

/* Describes the model to which descriptors refer. */
static struct levee_cim_model* describe_model(const struct model* model, float score_scale)
{
    const struct levee_model_header* shape = &model->header;
    struct levee_cim_model* out = heap_take(sizeof *out, "the shape of layers");
    struct levee_cim_layer* layers =
        heap_take(shape->layers * sizeof *layers, "tensors other than the layers' matrices");
    for (uint32_t i = 0; i < shape->layers; ++i)
        describe_layer(model, &model->layers[i], &layers[i]);
    *out = (struct levee_cim_model){.layers = bus_address(layers),
                                    .rope_phase = model->layers[0].rope_phase,
                                    .layer_count = shape->layers,
                                    .dim = shape->dim,
                                    .hidden = shape->hidden,
                                    .heads = shape->heads,
                                    .kv_heads = shape->kv_heads,
                                    .head_dim = shape->head_dim,
                                    .norm = shape->norm,
                                    .activation = shape->activation,
                                    .position = shape->position,
                                    .norm_epsilon = shape->norm_epsilon,
                                    .score_scale = score_scale};
    return out;
}

/* Returns how many tokens of the longest sequence pass through the layers: all except the last
 * generated one. */
static uint32_t count_final_tokens(uint32_t context)
{
    const struct levee_workload* workload = &system_info()->workload;
    uint32_t most = 0;
    for (uint32_t i = 0; i < workload->sequence_count; ++i) {
        struct levee_sequence sequence;
        copy_in(&sequence, workload->sequence_address + i * sizeof sequence, sizeof sequence,
                "a sequence");
        const uint32_t generated = workload->max_new_tokens != 0 ? workload->max_new_tokens - 1 : 0;
        const uint32_t tokens = sequence.token_count + generated;
        most = tokens > most ? tokens : most;
    }
    return most < context ? most : context;
}

/* Ends the run if prompts are processed in several chunks, because the figures of a `sample` are
 * valid only for whole prompts. */
static void check_prompts(const struct placement* placement)
{
    if (cim_register(system_block(LEVEE_BLOCK_CIM), LEVEE_CIM_WHOLE_PROMPTS) == 0 ||
        placement->chunk >= placement->longest_prefill)
        return;
    fatal(EXIT_REFUSED,
          "scheduler %s: the cores' 'reading' takes a prompt's time from a sample that processes "
          "the whole prompt at once, but workload.prefill_chunk is %lu for a prompt of %lu tokens; "
          "expected a "
          "chunk of the whole prompt, or no 'reading.sample_prompt' and "
          "'reading.sample_generated'",
          system_scheduler(), (unsigned long)placement->chunk,
          (unsigned long)placement->longest_prefill);
}

struct titanus cores;

static void open_cores(const struct machine* machine_of, const struct placement* placement)
{
    const struct model* model = placement->cache.model;
    check_prompts(placement);
    struct titanus* machine = &cores;
    machine->model = describe_model(model, 1.0f / sqrtf((float)model->header.head_dim));
    machine->final_tokens = count_final_tokens(placement->context);
    if (machine_has(machine_of, &part_cim_packing))
        machine->packed = titanus_describe_packed(&placement->cache);
    machine->chained = cim_register(system_block(LEVEE_BLOCK_CIM), LEVEE_CIM_CHAINED) != 0;
}

/* Sets the formats. The classifier reads vectors of the same width as the layers' products. */
static void set_formats(const struct model* model, struct value_format* formats)
{
    (void)model;
    const bool narrow =
        cim_register(system_block(LEVEE_BLOCK_CIM), LEVEE_CIM_INPUT_BYTES) != INT16_BYTES;
    formats[VALUE_X] = formats[VALUE_LOGITS] =
        (struct value_format){FP32_BYTES, 0, LEVEE_TYPE_FP32};
    formats[VALUE_NORMED] =
        (struct value_format){INT16_BYTES, FP32_BYTES, narrow ? LEVEE_TYPE_INT8 : LEVEE_TYPE_INT16};
}

const struct machine_part part_cim_layers = {
    .name = "cim",
    .roles = 1u << PART_WEIGHTS | 1u << PART_ATTENTION,
    .whole_qkv = true,
    .unit = &class_cores,
    ROWS(rows),
    .set_formats = set_formats,
    .ordered_with = ordered_with,
    REREAD(reread),
    .check_model = check_model,
    .lacks = LACKS_OF_cim_layers,
    .abilities = ATTENTION_UNPACKS,
    .stores_by_length = true,
    .unpacks = titanus_unpacks,
    .kv_forms = systolic_kv_forms,
    .kv_form_count = 1,
    .kv_scaled = true,
    ACTIVATIONS(activations),
    .open = open_cores,
};
