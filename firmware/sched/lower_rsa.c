#include "firmware/sched/lower.h"

#define FP32_BYTES 4
#define INT16_BYTES 2

/* out = in * W^T * scales + bias, the rows of all entries as one matrix. */
static void linear(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_rsa_operation* out)
{
    const struct matrix* matrix = operation->matrix;
    const struct operand* in = &lowering->placement->values[operation->reads[0]];
    const uint32_t rows = operation->on_logit_rows ? pass->logit_rows : pass->rows;
    out->a = in->data;
    out->a_type = LEVEE_TYPE_INT16;
    out->a_stride[2] = (int32_t)(matrix->cols * INT16_BYTES);
    out->a_scale = in->scale;
    out->a_scale_stride[2] = FP32_BYTES;
    out->b = matrix->data;
    out->b_type = (uint8_t)matrix->type;
    out->b_stride[2] = (int32_t)matrix->row_bytes;
    out->b_scale = matrix->scale;
    out->b_scale_stride[2] = FP32_BYTES;
    out->bias = matrix->bias;
    out->out = lowering->placement->values[operation->writes].data;
    out->out_stride[2] = (int32_t)(matrix->rows * FP32_BYTES);
    out->flags = LEVEE_RSA_B_TRANSPOSED;
    out->m1 = (uint16_t)(pass->entries * rows);
    out->k = matrix->cols;
    out->n = matrix->rows;
}

/* Loops of both attention products: entry, key/value head, token, query head of the group. */
static void attention_loops(const struct lowering* lowering, const struct pass* pass,
                            struct levee_rsa_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    out->outer[0] = (uint16_t)pass->entries;
    out->outer[1] = (uint16_t)shape->kv_heads;
    out->m1 = (uint16_t)pass->rows;
    out->m0 = (uint16_t)(shape->heads / shape->kv_heads);
    out->lengths = pass->lengths;
    out->lengths_stride[0] = 4;
}

/* Strides of a value laid out [entries][H][rows][C], `bytes` an element, by those loops. */
static void score_strides(const struct lowering* lowering, const struct pass* pass, int32_t bytes,
                          int32_t stride[4])
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t row = (int32_t)lowering->placement->context * bytes;
    const int32_t head = (int32_t)pass->rows * row;
    stride[0] = (int32_t)shape->heads * head;
    stride[1] = (int32_t)(shape->heads / shape->kv_heads) * head;
    stride[2] = row;
    stride[3] = head;
}

/* Strides of a value laid out [entries][rows][H][width], `bytes` an element. */
static void head_strides(const struct lowering* lowering, const struct pass* pass, uint32_t width,
                         int32_t bytes, int32_t stride[4])
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t head = (int32_t)width * bytes;
    const int32_t row = (int32_t)shape->heads * head;
    stride[0] = (int32_t)pass->rows * row;
    stride[1] = (int32_t)(shape->heads / shape->kv_heads) * head;
    stride[2] = row;
    stride[3] = head;
}

static void cache_operand(const struct lowering* lowering, const struct pass* pass,
                          enum value value, uint32_t layer, struct levee_rsa_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand cache =
        placement_cache(lowering->placement, lowering->model, value, layer, pass->first_entry);
    const int32_t token = (int32_t)shape->head_dim * INT16_BYTES;
    const int32_t context = (int32_t)lowering->placement->context;
    out->b = cache.data;
    out->b_type = LEVEE_TYPE_INT16;
    out->b_stride[0] = (int32_t)shape->kv_heads * context * token;
    out->b_stride[1] = context * token;
    out->b_stride[2] = token;
    if (value == VALUE_KEYS) {
        out->b_scale = cache.scale;
        out->b_scale_stride[0] = (int32_t)shape->kv_heads * context * FP32_BYTES;
        out->b_scale_stride[1] = context * FP32_BYTES;
        out->b_scale_stride[2] = FP32_BYTES;
    }
}

/* scores = q K^T, dequantised at the array's output: q's scale, K's per token, 1 / sqrt(D). */
static void scores(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_rsa_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* query = &lowering->placement->values[VALUE_QUERY];
    attention_loops(lowering, pass, out);
    out->a = query->data;
    out->a_type = LEVEE_TYPE_INT16;
    head_strides(lowering, pass, shape->head_dim, INT16_BYTES, out->a_stride);
    out->a_scale = query->scale;
    head_strides(lowering, pass, 1, FP32_BYTES, out->a_scale_stride);
    cache_operand(lowering, pass, VALUE_KEYS, operation->layer, out);
    out->flags = LEVEE_RSA_B_TRANSPOSED;
    out->out = lowering->placement->values[VALUE_SCORES].data;
    score_strides(lowering, pass, FP32_BYTES, out->out_stride);
    out->k = shape->head_dim;
    out->n = lowering->placement->context;
    out->ragged = LEVEE_RSA_RAGGED_N;
    out->alpha = lowering->score_scale;
}

/* mixed = p V; V's scales are already in p. */
static void mix(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_rsa_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* probabilities = &lowering->placement->values[VALUE_PROBABILITIES];
    attention_loops(lowering, pass, out);
    out->a = probabilities->data;
    out->a_type = LEVEE_TYPE_INT16;
    score_strides(lowering, pass, INT16_BYTES, out->a_stride);
    out->a_scale = probabilities->scale;
    out->a_scale_stride[3] = (int32_t)pass->rows * FP32_BYTES;
    out->a_scale_stride[2] = FP32_BYTES;
    out->a_scale_stride[1] = out->a_scale_stride[3] * (int32_t)(shape->heads / shape->kv_heads);
    out->a_scale_stride[0] = out->a_scale_stride[3] * (int32_t)shape->heads;
    cache_operand(lowering, pass, VALUE_VALUES, operation->layer, out);
    out->out = lowering->placement->values[VALUE_MIXED].data;
    head_strides(lowering, pass, shape->head_dim, FP32_BYTES, out->out_stride);
    out->k = lowering->placement->context;
    out->n = shape->head_dim;
    out->ragged = LEVEE_RSA_RAGGED_K;
}

void lower_rsa(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_rsa_operation* out)
{
    out->outer[0] = out->outer[1] = 1;
    out->m1 = out->m0 = 1;
    out->alpha = 1.0f;
    if (operation->kind == OPERATION_SCORES)
        scores(lowering, pass, operation, out);
    else if (operation->kind == OPERATION_MIX)
        mix(lowering, pass, operation, out);
    else
        linear(lowering, pass, operation, out);
}
