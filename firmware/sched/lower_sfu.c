// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"
#include "firmware/sched/lower.h"

#define FP32_BYTES 4
#define INT16_BYTES 2

static enum levee_sfu_opcode opcode_of(const struct lowering* lowering, const struct pass* pass,
                                       const struct operation* operation)
{
    static const enum levee_sfu_opcode activations[] = {
        [LEVEE_ACTIVATION_SILU_GLU] = LEVEE_SFU_SILU_MUL,
        [LEVEE_ACTIVATION_RELU] = LEVEE_SFU_RELU,
        [LEVEE_ACTIVATION_GELU] = LEVEE_SFU_GELU,
    };
    static const enum levee_sfu_opcode picks[] = {
        [PICK_ARGMAX] = LEVEE_SFU_ARGMAX,
        [PICK_SAMPLE] = LEVEE_SFU_SAMPLE,
        [PICK_LOG_PROB] = LEVEE_SFU_LOG_PROB,
    };
    const struct levee_model_header* shape = &lowering->model->header;
    const enum levee_sfu_opcode position =
        shape->position == LEVEE_POSITION_LEARNED ? LEVEE_SFU_QUANTISE : LEVEE_SFU_ROPE;
    switch (operation->kind) {
    case OPERATION_EMBED:
        return LEVEE_SFU_EMBED;
    case OPERATION_NORM:
        return shape->norm == LEVEE_NORM_RMS ? LEVEE_SFU_RMS_NORM : LEVEE_SFU_LAYER_NORM;
    case OPERATION_QUERY:
    case OPERATION_STORE_KEY:
    case OPERATION_RESTORE_KEY:
        return position;
    case OPERATION_SOFTMAX:
        return LEVEE_SFU_SOFTMAX;
    case OPERATION_ADD:
        return LEVEE_SFU_ADD;
    case OPERATION_ACTIVATE:
        return activations[shape->activation];
    case OPERATION_PICK:
        return picks[pass->pick];
    default:
        return LEVEE_SFU_QUANTISE;
    }
}

static void embed(const struct lowering* lowering, const struct pass* pass,
                  struct levee_sfu_operation* out)
{
    const struct model* model = lowering->model;
    const int32_t row = (int32_t)model->header.dim * FP32_BYTES;
    out->outer[0] = (uint16_t)pass->entries;
    out->rows = (uint16_t)pass->rows;
    out->n = model->header.dim;
    out->x = model->embedding.data;
    out->x_type = (uint8_t)model->embedding.type;
    out->x_stride[2] = (int32_t)model->embedding.row_bytes;
    out->gain = model->embedding.scale;
    out->indices = pass->tokens.address;
    out->indices_stride[0] = pass->tokens.per_entry;
    out->indices_stride[2] = pass->tokens.per_row;
    if (model->position_table != 0) {
        out->y = model->position_table;
        out->y_stride[2] = (int32_t)model->position_row_bytes;
        out->positions = pass->positions;
        out->positions_stride[0] = 4;
    }
    out->out = lowering->values[VALUE_X].data;
    out->out_stride[0] = (int32_t)pass->rows * row;
    out->out_stride[2] = row;
}

/* One vector of `n` FP32 elements per token, tokens `stride` bytes apart: x, and out in its type.
 */
static void per_token(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t n, int32_t stride,
                      struct levee_sfu_operation* out)
{
    const struct operand* result = &lowering->values[operation->writes];
    out->rows = (uint16_t)(pass->entries * pass->rows);
    out->n = n;
    out->x = lowering->values[operation->reads[0]].data;
    out->x_stride[2] = stride;
    out->out = result->data;
    out->out_scale = result->scale;
    out->out_type = result->scale != 0 ? LEVEE_TYPE_INT16 : LEVEE_TYPE_FP32;
    out->out_stride[2] = (int32_t)n * (result->scale != 0 ? INT16_BYTES : FP32_BYTES);
    out->out_scale_stride[2] = FP32_BYTES;
}

static void norm(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t row = (int32_t)shape->dim * FP32_BYTES;
    per_token(lowering, pass, operation, shape->dim, row, out);
    out->gain = operation->norm->gain;
    out->bias = shape->norm == LEVEE_NORM_LAYER ? operation->norm->bias : 0;
    out->param = shape->norm_epsilon;
    if (operation->on_logit_rows) {
        out->outer[0] = (uint16_t)pass->entries;
        out->rows = (uint16_t)pass->logit_rows;
        out->x += (uint64_t)pass->logit_first * (uint32_t)row;
        out->x_stride[0] = (int32_t)pass->rows * row;
        out->out_stride[0] = (int32_t)pass->logit_rows * out->out_stride[2];
        out->out_scale_stride[0] = (int32_t)pass->logit_rows * FP32_BYTES;
    }
}

/* Where the raw vectors of queries, keys or values lie. */
struct raw {
    uint64_t address;
    int32_t row; /* bytes of a token */
};

static struct raw raw_of(const struct lowering* lowering, const struct operation* operation,
                         uint32_t first_head)
{
    const struct model* model = lowering->model;
    const uint32_t head = model->header.head_dim * FP32_BYTES;
    const enum value value = operation->reads[0];
    const uint64_t address = lowering->values[value].data;
    if (value == VALUE_QKV)
        return (struct raw){address + first_head * head,
                            (int32_t)(model->layers[0].qkv.rows * FP32_BYTES)};
    const uint32_t heads = value == VALUE_RAW_QUERY ? model->header.heads : model->header.kv_heads;
    return (struct raw){address, (int32_t)(heads * head)};
}

/* x = heads of raw vectors, `rows` of each of `entries`; they become INT16. */
static void heads_of(const struct lowering* lowering, const struct raw* raw, uint32_t entries,
                     uint32_t heads, uint32_t rows, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    out->outer[0] = (uint16_t)entries;
    out->outer[1] = (uint16_t)heads;
    out->rows = (uint16_t)rows;
    out->n = shape->head_dim;
    out->x = raw->address;
    out->x_stride[0] = (int32_t)rows * raw->row;
    out->x_stride[1] = (int32_t)shape->head_dim * FP32_BYTES;
    out->x_stride[2] = raw->row;
    out->out_type = LEVEE_TYPE_INT16;
}

/* Rotated to their position unless that was learned. */
static void rotate(const struct lowering* lowering, uint64_t positions,
                   struct levee_sfu_operation* out)
{
    if (lowering->model->rope_phase == 0)
        return;
    out->y = lowering->model->rope_phase;
    out->positions = positions;
    out->positions_stride[0] = 4;
    if (lowering->model->header.position == LEVEE_POSITION_ROPE_HALVES)
        out->flags |= LEVEE_SFU_ROPE_HALVES;
}

static void query(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* result = &lowering->values[VALUE_QUERY];
    const struct raw raw = raw_of(lowering, operation, 0);
    const int32_t head = (int32_t)shape->head_dim * INT16_BYTES;
    heads_of(lowering, &raw, pass->entries, shape->heads, pass->rows, out);
    rotate(lowering, pass->positions, out);
    out->out = result->data;
    out->out_stride[1] = head;
    out->out_stride[2] = (int32_t)shape->heads * head;
    out->out_stride[0] = (int32_t)pass->rows * out->out_stride[2];
    out->out_scale = result->scale;
    out->out_scale_stride[1] = FP32_BYTES;
    out->out_scale_stride[2] = (int32_t)shape->heads * FP32_BYTES;
    out->out_scale_stride[0] = (int32_t)pass->rows * out->out_scale_stride[2];
}

struct slot_words lower_slots(const struct lowering* lowering, const struct pass* pass,
                              const struct slices* slices)
{
    const struct cache* cache = &lowering->placement->cache;
    if (!pass->form.indexed)
        return (struct slot_words){pass->slots + 4 * slices->entry, {4, 0}};
    const uint32_t first = slices->head * cache->batch + slices->batch_entry;
    return (struct slot_words){cache_next_of(cache, cache->snapshot) + 4 * first,
                               {4, (uint16_t)(4 * cache->batch)}};
}

/* Vectors into NEW_KEYS or NEW_VALUES, [entries][G][x rows + 1][D]. */
static void beside(const struct lowering* lowering, enum value value, uint32_t first_row,
                   struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const uint32_t row = shape->head_dim * INT16_BYTES;
    out->out = lowering->values[value].data + (uint64_t)first_row * row;
    out->out_stride[2] = (int32_t)row;
    out->out_stride[1] = (int32_t)(lower_beside_rows(lowering) * row);
    out->out_stride[0] = (int32_t)shape->kv_heads * out->out_stride[1];
    out->flags |= LEVEE_SFU_SCATTER_SCALE;
}

/* Into each entry's slot; the vectors of one pass take consecutive slots. Held ones stay beside the
 * cache, and only their scales are where they belong. */
static void store(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const bool keys = operation->kind == OPERATION_STORE_KEY;
    const struct slices slices =
        cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
    const uint32_t heads = pass->form.held ? shape->kv_heads : slices.heads;
    const uint32_t entries = pass->form.held ? pass->entries : slices.entries;
    const struct raw raw = raw_of(lowering, operation, shape->heads + (keys ? 0 : shape->kv_heads));
    const struct slot_words slots = lower_slots(lowering, pass, &slices);
    heads_of(lowering, &raw, entries, heads, pass->rows, out);
    out->x += (uint64_t)slices.entry * (uint32_t)out->x_stride[0] +
              (uint64_t)slices.head * (uint32_t)out->x_stride[1];
    if (keys)
        rotate(lowering, pass->positions + 4 * slices.entry, out);
    out->flags |= LEVEE_SFU_SCATTER;
    out->indices = slots.address;
    out->indices_stride[0] = slots.stride[0];
    out->indices_stride[1] = slots.stride[1];
    out->out = keys ? slices.keys : slices.values;
    out->out_stride[0] = slices.stride[0];
    out->out_stride[1] = slices.stride[1];
    out->out_stride[2] = (int32_t)shape->head_dim * INT16_BYTES;
    out->out_scale = keys ? slices.key_scales : slices.value_scales;
    out->out_scale_stride[0] = slices.scale_stride[0];
    out->out_scale_stride[1] = slices.scale_stride[1];
    out->out_scale_stride[2] = FP32_BYTES;
    if (pass->form.held)
        beside(lowering, keys ? VALUE_NEW_KEYS : VALUE_NEW_VALUES, lowering->policy->x_rows, out);
}

/* The recalled tokens' rows lie behind the arriving ones'. Each token has its own position; its
 * scale goes to the slot it has in each head that holds it. */
static void restore(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct cache* cache = &lowering->placement->cache;
    const bool keys = operation->kind == OPERATION_RESTORE_KEY;
    const enum value front = keys ? VALUE_RAW_KEYS : VALUE_RAW_VALUES;
    const int32_t row = (int32_t)(shape->kv_heads * shape->head_dim * FP32_BYTES);
    const struct raw raw = {lowering->values[front].data + (uint64_t)pass->entries * (uint32_t)row,
                            row};
    heads_of(lowering, &raw, pass->entries, shape->kv_heads, lower_recalled(pass, operation->layer),
             out);
    if (keys) {
        rotate(lowering,
               cache->x_positions + 4ull * operation->layer * cache->batch * cache->x_rows, out);
        out->positions_stride[0] = (uint16_t)(4 * cache->x_rows);
    }
    beside(lowering, keys ? VALUE_NEW_KEYS : VALUE_NEW_VALUES, 0, out);
    out->flags |= LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS;
    out->indices = cache_slot_of_of(cache, cache->snapshot);
    out->indices_stride[1] = 4 * cache->x_rows;
    out->indices_stride[0] = 4 * cache->x_rows * shape->kv_heads;
    out->out_scale = (keys ? cache->key_scales : cache->value_scales) +
                     4 * cache_slot_index(cache, operation->layer, 0, 0);
    out->out_scale_stride[2] = FP32_BYTES;
    out->out_scale_stride[1] = (int32_t)(4 * cache->slots);
    out->out_scale_stride[0] = (int32_t)(4 * cache->slots * shape->kv_heads);
}

static void softmax(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* result = &lowering->values[VALUE_PROBABILITIES];
    const struct slices slices =
        cache_slices(&lowering->placement->cache, pass, operation->layer, operation->part);
    const int32_t width = (int32_t)placement_width(lowering->placement, pass);
    const int32_t rows = (int32_t)pass->rows;
    const int32_t heads = (int32_t)shape->heads;
    const uint32_t group = shape->heads / shape->kv_heads;
    const uint64_t first = (uint64_t)slices.entry * shape->heads + slices.head * group;
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)(slices.heads * group);
    out->rows = (uint16_t)pass->rows;
    out->n = pass->longest;
    out->group = (uint8_t)group;
    out->flags = pass->rows > 1 ? LEVEE_SFU_CAUSAL : 0;
    out->lengths = pass->lengths + 4 * slices.entry;
    out->lengths_stride[0] = 4;
    out->x_stride[2] = width * FP32_BYTES;
    out->x_stride[1] = rows * out->x_stride[2];
    out->x_stride[0] = heads * out->x_stride[1];
    out->x = lowering->values[VALUE_SCORES].data + first * (uint32_t)out->x_stride[1];
    out->y = slices.value_scales;
    out->y_stride[0] = slices.scale_stride[0];
    out->y_stride[1] = slices.scale_stride[1];
    out->y_stride[2] = FP32_BYTES;
    out->out_type = LEVEE_TYPE_INT16;
    out->out_stride[2] = width * INT16_BYTES;
    out->out_stride[1] = rows * out->out_stride[2];
    out->out_stride[0] = heads * out->out_stride[1];
    out->out = result->data + first * (uint32_t)out->out_stride[1];
    out->out_scale_stride[2] = FP32_BYTES;
    out->out_scale_stride[1] = rows * FP32_BYTES;
    out->out_scale_stride[0] = heads * out->out_scale_stride[1];
    out->out_scale = result->scale + first * (uint32_t)out->out_scale_stride[1];
    if (pass->form.scored && lowering->policy->score == LEVEE_SE_SOFTMAX)
        out->tap = 1 + PORT_FUNCTIONS;
}

/* Gate and up lie one after the other in each token's row. */
static void activate(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t row = (int32_t)lowering->model->layers[0].up.rows * FP32_BYTES;
    per_token(lowering, pass, operation, shape->hidden, row, out);
    if (shape->activation == LEVEE_ACTIVATION_SILU_GLU) {
        out->y = out->x + (uint64_t)shape->hidden * FP32_BYTES;
        out->y_stride[2] = row;
    }
}

static void add(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_sfu_operation* out)
{
    const uint32_t dim = lowering->model->header.dim;
    per_token(lowering, pass, operation, dim, (int32_t)dim * FP32_BYTES, out);
    out->y = lowering->values[operation->reads[1]].data;
    out->y_stride[2] = (int32_t)dim * FP32_BYTES;
}

static void pick(const struct lowering* lowering, const struct pass* pass,
                 struct levee_sfu_operation* out)
{
    const int32_t row = (int32_t)lowering->model->header.vocab * FP32_BYTES;
    const int32_t picked = (int32_t)sizeof(struct levee_sfu_pick);
    out->outer[0] = (uint16_t)pass->entries;
    out->rows = (uint16_t)pass->logit_rows;
    out->n = lowering->model->header.vocab;
    out->x = lowering->values[VALUE_LOGITS].data;
    out->x_stride[0] = (int32_t)pass->logit_rows * row;
    out->x_stride[2] = row;
    out->out = pass->picks;
    out->out_stride[0] = (int32_t)pass->logit_rows * picked;
    out->out_stride[2] = picked;
    out->param = pass->pick == PICK_SAMPLE ? pass->temperature : 0.0f;
    out->seed = pass->seed;
    if (pass->pick == PICK_LOG_PROB) {
        out->indices = pass->targets.address;
        out->indices_stride[0] = pass->targets.per_entry;
        out->indices_stride[2] = pass->targets.per_row;
    }
}

void lower_sfu(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = (uint8_t)opcode_of(lowering, pass, operation);
    out->outer[0] = out->outer[1] = 1;
    out->rows = 1;
    out->x_type = out->out_type = LEVEE_TYPE_FP32;
    switch (operation->kind) {
    case OPERATION_EMBED:
        embed(lowering, pass, out);
        break;
    case OPERATION_NORM:
        norm(lowering, pass, operation, out);
        break;
    case OPERATION_QUERY:
        query(lowering, pass, operation, out);
        break;
    case OPERATION_STORE_KEY:
    case OPERATION_STORE_VALUE:
        store(lowering, pass, operation, out);
        break;
    case OPERATION_RESTORE_KEY:
    case OPERATION_RESTORE_VALUE:
        restore(lowering, pass, operation, out);
        break;
    case OPERATION_SOFTMAX:
        softmax(lowering, pass, operation, out);
        break;
    case OPERATION_ACTIVATE:
        activate(lowering, pass, operation, out);
        break;
    case OPERATION_ADD:
        add(lowering, pass, operation, out);
        break;
    case OPERATION_PICK:
        pick(lowering, pass, out);
        break;
    default: {
        const struct levee_model_header* shape = &lowering->model->header;
        const uint32_t n = shape->heads * shape->head_dim;
        per_token(lowering, pass, operation, n, (int32_t)(n * FP32_BYTES), out);
    }
    }
}

void lower_sfu_recalled(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const uint32_t rows = lower_recalled(pass, operation->layer);
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->rows = (uint16_t)rows;
    out->x_stride[0] = (int32_t)(rows * shape->kv_heads * shape->head_dim * FP32_BYTES);
}
