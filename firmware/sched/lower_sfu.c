#include "firmware/sched/lower.h"

#define FP32_BYTES 4
#define INT16_BYTES 2

enum levee_sfu_opcode lower_sfu_opcode(const struct lowering* lowering, const struct pass* pass,
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
        return position;
    case OPERATION_STORE_KEY:
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
    out->out = lowering->placement->values[VALUE_X].data;
    out->out_stride[0] = (int32_t)pass->rows * row;
    out->out_stride[2] = row;
}

/* One vector of `n` FP32 elements per token, tokens `stride` bytes apart: x, and out in its type.
 */
static void per_token(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t n, int32_t stride,
                      struct levee_sfu_operation* out)
{
    const struct operand* result = &lowering->placement->values[operation->writes];
    out->rows = (uint16_t)(pass->entries * pass->rows);
    out->n = n;
    out->x = lowering->placement->values[operation->reads[0]].data;
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

/* x = `heads` heads of QKV from `first` on, rotated to their position unless that was learned. */
static void heads_of_qkv(const struct lowering* lowering, const struct pass* pass, uint32_t first,
                         uint32_t heads, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t head = (int32_t)shape->head_dim * FP32_BYTES;
    const int32_t row = (int32_t)lowering->model->layers[0].qkv.rows * FP32_BYTES;
    out->outer[0] = (uint16_t)pass->entries;
    out->outer[1] = (uint16_t)heads;
    out->rows = (uint16_t)pass->rows;
    out->n = shape->head_dim;
    out->x = lowering->placement->values[VALUE_QKV].data + (uint64_t)first * (uint32_t)head;
    out->x_stride[0] = (int32_t)pass->rows * row;
    out->x_stride[1] = head;
    out->x_stride[2] = row;
    out->out_type = LEVEE_TYPE_INT16;
}

static void rotate(const struct lowering* lowering, const struct pass* pass,
                   struct levee_sfu_operation* out)
{
    if (lowering->model->rope_phase == 0)
        return;
    out->y = lowering->model->rope_phase;
    out->positions = pass->positions;
    out->positions_stride[0] = 4;
    if (lowering->model->header.position == LEVEE_POSITION_ROPE_HALVES)
        out->flags |= LEVEE_SFU_ROPE_HALVES;
}

static void query(const struct lowering* lowering, const struct pass* pass,
                  struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* result = &lowering->placement->values[VALUE_QUERY];
    const int32_t head = (int32_t)shape->head_dim * INT16_BYTES;
    heads_of_qkv(lowering, pass, 0, shape->heads, out);
    rotate(lowering, pass, out);
    out->out = result->data;
    out->out_stride[1] = head;
    out->out_stride[2] = (int32_t)shape->heads * head;
    out->out_stride[0] = (int32_t)pass->rows * out->out_stride[2];
    out->out_scale = result->scale;
    out->out_scale_stride[1] = FP32_BYTES;
    out->out_scale_stride[2] = (int32_t)shape->heads * FP32_BYTES;
    out->out_scale_stride[0] = (int32_t)pass->rows * out->out_scale_stride[2];
}

/* Into the cache at each entry's slot; the vectors of one pass take consecutive slots. */
static void store(const struct lowering* lowering, const struct pass* pass, enum value value,
                  uint32_t layer, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand cache =
        placement_cache(lowering->placement, lowering->model, value, layer, pass->first_entry);
    const int32_t token = (int32_t)shape->head_dim * INT16_BYTES;
    const int32_t context = (int32_t)lowering->placement->context;
    const uint32_t first = shape->heads + (value == VALUE_KEYS ? 0 : shape->kv_heads);
    heads_of_qkv(lowering, pass, first, shape->kv_heads, out);
    if (value == VALUE_KEYS)
        rotate(lowering, pass, out);
    out->flags |= LEVEE_SFU_SCATTER;
    out->indices = pass->slots;
    out->indices_stride[0] = 4;
    out->out = cache.data;
    out->out_stride[0] = (int32_t)shape->kv_heads * context * token;
    out->out_stride[1] = context * token;
    out->out_stride[2] = token;
    out->out_scale = cache.scale;
    out->out_scale_stride[0] = (int32_t)shape->kv_heads * context * FP32_BYTES;
    out->out_scale_stride[1] = context * FP32_BYTES;
    out->out_scale_stride[2] = FP32_BYTES;
}

static void softmax(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_sfu_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* result = &lowering->placement->values[VALUE_PROBABILITIES];
    const struct operand values = placement_cache(
        lowering->placement, lowering->model, VALUE_VALUES, operation->layer, pass->first_entry);
    const int32_t context = (int32_t)lowering->placement->context;
    const int32_t rows = (int32_t)pass->rows;
    const int32_t heads = (int32_t)shape->heads;
    out->outer[0] = (uint16_t)pass->entries;
    out->outer[1] = (uint16_t)shape->heads;
    out->rows = (uint16_t)pass->rows;
    out->n = pass->longest;
    out->group = (uint8_t)(shape->heads / shape->kv_heads);
    out->flags = pass->rows > 1 ? LEVEE_SFU_CAUSAL : 0;
    out->lengths = pass->lengths;
    out->lengths_stride[0] = 4;
    out->x = lowering->placement->values[VALUE_SCORES].data;
    out->x_stride[2] = context * FP32_BYTES;
    out->x_stride[1] = rows * out->x_stride[2];
    out->x_stride[0] = heads * out->x_stride[1];
    out->y = values.scale;
    out->y_stride[0] = (int32_t)shape->kv_heads * context * FP32_BYTES;
    out->y_stride[1] = context * FP32_BYTES;
    out->y_stride[2] = FP32_BYTES;
    out->out = result->data;
    out->out_type = LEVEE_TYPE_INT16;
    out->out_stride[2] = context * INT16_BYTES;
    out->out_stride[1] = rows * out->out_stride[2];
    out->out_stride[0] = heads * out->out_stride[1];
    out->out_scale = result->scale;
    out->out_scale_stride[2] = FP32_BYTES;
    out->out_scale_stride[1] = rows * FP32_BYTES;
    out->out_scale_stride[0] = heads * out->out_scale_stride[1];
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
    out->y = lowering->placement->values[operation->reads[1]].data;
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
    out->x = lowering->placement->values[VALUE_LOGITS].data;
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
               const struct operation* operation, struct levee_sfu_operation* out)
{
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
        query(lowering, pass, out);
        break;
    case OPERATION_STORE_KEY:
        store(lowering, pass, VALUE_KEYS, operation->layer, out);
        break;
    case OPERATION_STORE_VALUE:
        store(lowering, pass, VALUE_VALUES, operation->layer, out);
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
