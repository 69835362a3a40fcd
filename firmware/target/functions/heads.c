// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"

/* Addresses and strides of the raw vectors of queries, keys or values, as products have written
 * them. */
struct raw {
    uint64_t address;
    int32_t row; /* bytes per token */
    uint8_t type;
};

static struct raw raw_of(const struct lowering* lowering, const struct operation* operation,
                         uint32_t first_head)
{
    const struct model* model = lowering->model;
    const enum value value = operation->reads[0];
    const uint8_t type = lower_format(lowering, value)->type;
    const uint32_t element = (uint32_t)lower_element_bytes(type);
    const uint32_t head = model->header.head_dim * element;
    const uint64_t address = lowering->values[value].data;
    if (value == VALUE_QKV && !(model->properties & MODEL_LATENT))
        return (struct raw){address + first_head * head,
                            (int32_t)(model->layers[0].qkv.rows * element), type};
    const bool query = value == VALUE_RAW_QUERY || value == VALUE_QKV;
    const uint32_t heads = query ? model->header.heads : model->header.kv_heads;
    return (struct raw){address, (int32_t)(heads * head), type};
}

/* Sets operand x to the heads of raw vectors, with `rows` rows for each of `entries`. The result
 * has the type `type`. */
static void heads_of(const struct lowering* lowering, const struct raw* raw, uint32_t entries,
                     uint32_t heads, uint32_t rows, uint8_t type, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    out->outer[0] = (uint16_t)entries;
    out->outer[1] = (uint16_t)heads;
    out->rows = (uint16_t)rows;
    out->n = shape->head_dim;
    out->x = raw->address;
    out->x_stride[0] = (int32_t)rows * raw->row;
    out->x_stride[1] = (int32_t)shape->head_dim * lower_element_bytes(raw->type);
    out->x_stride[2] = raw->row;
    out->x_type = raw->type;
    out->out_type = type;
}

uint8_t lower_hadamard_log2(const struct model* model)
{
    return system_kv_hadamard() ? (uint8_t)__builtin_ctz(model->header.head_dim) : 0;
}

/* Vectors that are converted to the format of the cache or of the query. If the layer has norms
 * or rotations of heads, queries and keys are first normalised and rotated to their positions. */
struct positioned {
    const struct norm* norm; /* NULL: values, which have neither norm nor rotation */
    uint64_t positions;
};

static struct levee_sfu_operation* vectors(const struct lowering* lowering,
                                           const struct operation* operation,
                                           const struct positioned* positioned,
                                           struct levee_descriptor* descriptor)
{
    const struct model* model = lowering->model;
    const uint64_t phase = model->layers[operation->layer].rope_phase;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = LEVEE_SFU_QUANTISE;
    out->block_log2 = lower_hadamard_log2(model);
    if (positioned->norm == NULL)
        return out;
    if (model->properties & MODEL_HEAD_NORMS) {
        out->gain = positioned->norm->gain;
        out->param = model->header.norm_epsilon;
    }
    if (phase == 0)
        return out;
    descriptor->opcode = LEVEE_SFU_ROPE;
    out->y = phase;
    out->seed = model->rotated == model->header.head_dim ? 0 : model->rotated;
    out->positions = positioned->positions;
    out->positions_stride[0] = 4;
    if (model->header.position == LEVEE_POSITION_ROPE_HALVES)
        out->flags |= LEVEE_SFU_ROPE_HALVES;
    return out;
}

void lower_query(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct layer* layer = &lowering->model->layers[operation->layer];
    const struct positioned positioned = {&layer->query_norm, pass->positions};
    struct levee_sfu_operation* out = vectors(lowering, operation, &positioned, descriptor);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* result = &lowering->values[VALUE_QUERY];
    const struct raw raw = raw_of(lowering, operation, 0);
    const uint8_t type = lower_format(lowering, VALUE_QUERY)->type;
    const int32_t head = (int32_t)shape->head_dim * lower_element_bytes(type);
    heads_of(lowering, &raw, pass->shape.entries, shape->heads, pass->shape.rows, type, out);
    out->out = result->data;
    out->out_stride[1] = head;
    out->out_stride[2] = (int32_t)shape->heads * head;
    out->out_stride[0] = (int32_t)pass->shape.rows * out->out_stride[2];
    if (!lower_is_code(type))
        return;
    out->out_scale = result->scale;
    out->out_scale_stride[1] = FP32_BYTES;
    out->out_scale_stride[2] = (int32_t)shape->heads * FP32_BYTES;
    out->out_scale_stride[0] = (int32_t)pass->shape.rows * out->out_scale_stride[2];
}

struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices)
{
    const struct cache* cache = &lowering->placement->cache;
    if (!pass->shape.form.indexed)
        return (struct slot_words){pass->slots + 4 * slices->entry, {4, 0}};
    const uint32_t first = slices->head * cache->batch + slices->batch_entry;
    return (struct slot_words){cache_next_of(cache, cache->snapshot) + 4 * first,
                               {4, (uint16_t)(4 * cache->batch)}};
}

/* Redirects results to STAGED_KEYS or STAGED_VALUES, [entries][G][R + 1][D]. */
static void stage(const struct lowering* lowering, unsigned value, uint32_t first_row,
                  struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const uint32_t row = lower_vector_bytes(lowering);
    out->out = lowering->values[value].data + (uint64_t)first_row * row;
    out->out_stride[2] = (int32_t)row;
    out->out_stride[1] = (int32_t)(lower_staged_rows(lowering) * row);
    out->out_stride[0] = (int32_t)shape->kv_heads * out->out_stride[1];
    out->flags |= LEVEE_SFU_SCATTER_SCALE;
}

/* Stores vectors in each entry's slots; vectors of one pass go to consecutive slots. Staged vectors
 * stay outside the cache, and only their scales go to their final place. */
void lower_store(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct layer* layer = &lowering->model->layers[operation->layer];
    const bool keys = operation->kind == OPERATION_STORE_KEY;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct positioned positioned = {keys ? &layer->key_norm : NULL,
                                          pass->positions + 4 * slices.entry};
    struct levee_sfu_operation* out = vectors(lowering, operation, &positioned, descriptor);
    const uint32_t heads = pass->shape.form.staged ? shape->kv_heads : slices.heads;
    const uint32_t entries = pass->shape.form.staged ? pass->shape.entries : slices.entries;
    const struct raw raw = raw_of(lowering, operation, shape->heads + (keys ? 0 : shape->kv_heads));
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    heads_of(lowering, &raw, entries, heads, pass->shape.rows, lowering->placement->cache.form.type,
             out);
    out->x += (uint64_t)slices.entry * (uint32_t)out->x_stride[0] +
              (uint64_t)slices.head * (uint32_t)out->x_stride[1];
    out->flags |= LEVEE_SFU_SCATTER;
    out->indices = slots.address;
    out->indices_stride[0] = slots.stride[0];
    out->indices_stride[1] = slots.stride[1];
    out->out = keys ? slices.keys : slices.values;
    out->out_stride[0] = slices.stride[0];
    out->out_stride[1] = slices.stride[1];
    out->out_stride[2] = (int32_t)lower_vector_bytes(lowering);
    if (lowering->placement->cache.scaled) {
        out->out_scale = keys ? slices.key_scales : slices.value_scales;
        out->out_scale_stride[0] = slices.scale_stride[0];
        out->out_scale_stride[1] = slices.scale_stride[1];
        out->out_scale_stride[2] = FP32_BYTES;
    }
    if (pass->shape.form.staged)
        stage(lowering, keys ? VALUE_STAGED_KEYS : VALUE_STAGED_VALUES,
              lowering->policy->computed_rows, out);
}

/* Describes the conversion of recomputed keys or values. The rows of recomputed tokens follow those
 * of the arriving tokens. Each recomputed token has its own position. Its scale goes to its slot in
 * every head that keeps it. */
void lower_recompute(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct cache* cache = &lowering->placement->cache;
    const bool keys = operation->kind == OPERATION_RECOMPUTE_KEY;
    const struct positioned positioned = {
        keys ? &lowering->model->layers[operation->layer].key_norm : NULL,
        cache->inputs->positions + 4ull * operation->layer * cache->batch * cache->input_rows};
    struct levee_sfu_operation* out = vectors(lowering, operation, &positioned, descriptor);
    const enum value front = keys ? VALUE_RAW_KEYS : VALUE_RAW_VALUES;
    const uint8_t type = lower_format(lowering, front)->type;
    const int32_t row = (int32_t)(shape->kv_heads * shape->head_dim) * lower_element_bytes(type);
    const struct raw raw = {
        lowering->values[front].data + (uint64_t)pass->shape.entries * (uint32_t)row, row, type};
    heads_of(lowering, &raw, pass->shape.entries, shape->kv_heads,
             lower_recomputed(pass, operation->layer), cache->form.type, out);
    if (out->positions != 0)
        out->positions_stride[0] = (uint16_t)(4 * cache->input_rows);
    stage(lowering, keys ? VALUE_STAGED_KEYS : VALUE_STAGED_VALUES, 0, out);
    out->flags |= LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS;
    out->indices = cache_slot_of_of(cache, cache->snapshot);
    out->indices_stride[1] = 4 * cache->input_rows;
    out->indices_stride[0] = 4 * cache->input_rows * shape->kv_heads;
    out->out_scale = (keys ? cache->key_scales : cache->value_scales) +
                     4 * cache_slot_index(cache, operation->layer, 0, 0);
    out->out_scale_stride[2] = FP32_BYTES;
    out->out_scale_stride[1] = (int32_t)(4 * cache->slots);
    out->out_scale_stride[0] = (int32_t)(4 * cache->slots * shape->kv_heads);
}

void patch_recompute(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering;
    const uint32_t rows = lower_recomputed(pass, operation->layer);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->rows = (uint16_t)rows;
    out->x_stride[0] = (int32_t)rows * out->x_stride[2];
}

/* Sets the strides in bytes for a value [entries][H][rows][width]: from entry to entry, head to
 * head and row to row. */
static void strides_of_heads(const struct lowering* lowering, const struct pass* pass,
                             int32_t width, int32_t stride[3])
{
    stride[2] = width;
    stride[1] = (int32_t)pass->shape.rows * stride[2];
    stride[0] = (int32_t)lowering->model->header.heads * stride[1];
}

/* Sets the operands. Scores and probabilities have one vector for each entry, query head and
 * token. */
static void softmax_operands(const struct lowering* lowering, const struct pass* pass,
                             uint64_t first_head, struct levee_sfu_operation* out)
{
    const struct operand* result = &lowering->values[VALUE_PROBABILITIES];
    const int32_t width = (int32_t)placement_width(lowering->placement, pass);
    strides_of_heads(lowering, pass, width * FP32_BYTES, out->x_stride);
    strides_of_heads(lowering, pass, width * INT16_BYTES, out->out_stride);
    strides_of_heads(lowering, pass, FP32_BYTES, out->out_scale_stride);
    out->x_type = LEVEE_TYPE_FP32;
    out->x = lowering->values[VALUE_SCORES].data + first_head * (uint32_t)out->x_stride[1];
    out->out_type = LEVEE_TYPE_INT16;
    out->out = result->data + first_head * (uint32_t)out->out_stride[1];
    out->out_scale = result->scale + first_head * (uint32_t)out->out_scale_stride[1];
}

/* Makes the softmax send the slots of listed tokens to units that weigh tokens. Those units
 * identify tokens by slot. */
static void tap_softmax(const struct lowering* lowering, const struct pass* pass,
                        const struct slices* slices, struct levee_sfu_operation* out)
{
    int32_t stride[2];
    out->tap = 1 + LEVEE_PORT_FUNCTIONS;
    if (!pass->shape.form.listed)
        return;
    out->flags |= LEVEE_SFU_TAP_LISTED;
    out->indices = lower_listed(lowering, slices, lowering->placement->cache.listing.slots, stride);
    out->indices_stride[0] = (uint32_t)stride[0];
    out->indices_stride[1] = (uint32_t)stride[1];
    out->seed = pass->longest;
}

void lower_sinks(const struct lowering* lowering, const struct operation* operation,
                 uint32_t first_head, struct levee_sfu_operation* out)
{
    out->positions =
        lowering->model->layers[operation->layer].sinks + (uint64_t)first_head * FP32_BYTES;
    out->positions_stride[1] = FP32_BYTES;
}

void lower_softmax(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const uint32_t group = shape->heads / shape->kv_heads;
    descriptor->opcode = LEVEE_SFU_SOFTMAX;
    out->cap = shape->structure.score_cap;
    if (lowering->model->properties & MODEL_SINKS)
        lower_sinks(lowering, operation, slices.head * group, out);
    softmax_operands(lowering, pass, (uint64_t)slices.entry * shape->heads + slices.head * group,
                     out);
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)(slices.heads * group);
    out->rows = (uint16_t)pass->shape.rows;
    out->n = lower_attended(pass).longest;
    out->group = (uint8_t)group;
    out->flags = pass->shape.rows > 1 ? LEVEE_SFU_CAUSAL : 0;
    out->seed = pass->window;
    out->lengths = lower_attended(pass).lengths + 4 * slices.entry;
    out->lengths_stride[0] = 4;
    out->y = slices.value_scales;
    out->y_stride[0] = slices.scale_stride[0];
    out->y_stride[1] = slices.scale_stride[1];
    out->y_stride[2] = FP32_BYTES;
    if (pass->shape.form.listed)
        out->y = lower_listed(lowering, &slices, lowering->placement->cache.listing.value_scales,
                              out->y_stride);
    if (pass->shape.form.scored && lowering->policy->score == LEVEE_KV_SCORE_SOFTMAX)
        tap_softmax(lowering, pass, &slices, out);
}

void patch_softmax(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->n = lower_attended(pass).longest;
    out->seed = (out->flags & LEVEE_SFU_TAP_LISTED) != 0 ? pass->longest : pass->window;
}
