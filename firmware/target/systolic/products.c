// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/rsa.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"
#include "firmware/target/lower.h"

/* Begins the descriptor of a product. */
static struct levee_rsa_operation* product(struct levee_descriptor* descriptor)
{
    struct levee_rsa_operation* out = rsa_operation(descriptor);
    descriptor->opcode = LEVEE_RSA_GEMM;
    out->outer[0] = out->outer[1] = 1;
    out->m1 = out->m0 = 1;
    out->alpha = 1.0f;
    return out;
}

void lower_kv_operand(const struct lowering* lowering, struct levee_rsa_operation* out)
{
    out->b_type = lowering->placement->cache.form.type;
    if (out->b_type != LEVEE_TYPE_INT16)
        out->flags |= LEVEE_RSA_RING_1;
}

uint16_t lower_linear_rows(const struct pass* pass, const struct operation* operation)
{
    uint32_t rows = operation->on_logit_rows ? pass->shape.logit_rows : pass->shape.rows;
    if (operation->extra_rows)
        rows += lower_recomputed(pass, operation->layer);
    return (uint16_t)(pass->shape.entries * rows);
}

_Static_assert(1u << LEVEE_RSA_MIN_GROUP_LOG2 == LEVEE_MODEL_MIN_GROUP &&
                   1u << LEVEE_RSA_MAX_GROUP_LOG2 == LEVEE_MODEL_MAX_GROUP,
               "the array takes the groups that a model may have");

/* Multiplies each vector by the matrix of the expert that the table of choices lists. Results are
 * stored in the table's order. If the inputs are one vector per token, the table also lists the
 * rows of the inputs. */
static void divide_by_experts(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, struct levee_rsa_operation* out)
{
    const struct matrix* matrix = operation->matrix;
    const uint32_t branches = matrix_branches(lowering->model, matrix);
    const uint32_t vectors = out->m1 * branches;
    if (vectors > UINT16_MAX)
        fatal(EXIT_REFUSED,
              "a pass has %u tokens, each through %lu experts; expected at most %u vectors: use a "
              "smaller workload.prefill_chunk or batch",
              out->m1, (unsigned long)branches, UINT16_MAX);
    out->m1 = (uint16_t)vectors;
    out->ragged =
        operation->reads[0] == VALUE_NORMED ? LEVEE_RSA_RAGGED_M_LISTED : LEVEE_RSA_RAGGED_M;
    out->lengths = lower_choice(lowering, pass);
    out->lengths_stride[0] = (int32_t)(matrix->rows * FP32_BYTES); /* stride of biases */
    out->outer[0] = (uint16_t)matrix->experts;
    out->b_stride[0] = (int32_t)matrix_expert_bytes(matrix);
    out->b_scale_stride[0] = (int32_t)matrix_expert_scale_bytes(matrix);
}

/* Multiplies each head's vectors, in the layout [tokens][H], by the head's matrix. The results go
 * to a value of their own, or follow the rotated part of a query. */
static void divide_by_heads(const struct lowering* lowering, const struct operation* operation,
                            struct levee_rsa_operation* out)
{
    const struct matrix* matrix = operation->matrix;
    const bool query = operation->writes == VALUE_QKV;
    const uint32_t width = query ? lowering->model->header.head_dim : matrix->rows;
    out->outer[0] = (uint16_t)matrix->heads;
    out->a_stride[0] = out->a_stride[2];
    out->a_stride[2] *= (int32_t)matrix->heads;
    out->a_scale_stride[0] = out->a_scale_stride[2];
    out->a_scale_stride[2] *= (int32_t)matrix->heads;
    out->b_stride[0] = (int32_t)matrix_expert_bytes(matrix);
    out->b_scale_stride[0] = (int32_t)matrix_expert_scale_bytes(matrix);
    out->out += query ? (uint64_t)lowering->model->rotated * FP32_BYTES : 0;
    out->out_stride[0] = (int32_t)(width * FP32_BYTES);
    out->out_stride[2] = (int32_t)matrix->heads * out->out_stride[0];
}

/* Describes out = in * W^T * scales + bias, with the rows of all entries as one matrix. */
void lower_linear(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_rsa_operation* out = product(descriptor);
    const struct matrix* matrix = operation->matrix;
    const struct operand* in = &lowering->values[operation->reads[0]];
    out->a = in->data;
    out->a_type = lower_format(lowering, operation->reads[0])->type;
    out->a_stride[2] = (int32_t)matrix->cols * lower_element_bytes(out->a_type);
    out->a_scale = in->scale;
    out->a_scale_stride[2] = FP32_BYTES;
    out->b = matrix->data;
    out->b_type = (uint8_t)matrix->type;
    out->b_stride[2] = (int32_t)matrix->row_bytes;
    out->b_scale = matrix->scale;
    out->b_scale_stride[2] = (int32_t)matrix_scales(matrix) * FP32_BYTES;
    out->bias = matrix->bias;
    out->out = lowering->values[operation->writes].data;
    out->out_stride[2] = (int32_t)(matrix->rows * FP32_BYTES);
    out->flags = (uint8_t)(LEVEE_RSA_B_TRANSPOSED | LEVEE_RSA_GROUP(matrix_group_log2(matrix)));
    out->m1 = lower_linear_rows(pass, operation);
    out->k = matrix->cols;
    out->n = matrix->rows;
    if (matrix->experts != 0)
        divide_by_experts(lowering, pass, operation, out);
    if (matrix->heads != 0)
        divide_by_heads(lowering, operation, out);
}

/* Sets the loops of both attention products: entry, key/value head, token, query head of the
 * group. */
static void attention_loops(const struct lowering* lowering, const struct pass* pass,
                            const struct slices* slices, struct levee_rsa_operation* out)
{
    const struct levee_model_header* shape = &lowering->model->header;
    out->outer[0] = (uint16_t)slices->entries;
    out->outer[1] = (uint16_t)slices->heads;
    out->m1 = (uint16_t)pass->shape.rows;
    out->m0 = (uint16_t)(shape->heads / shape->kv_heads);
    out->lengths = lower_attended(pass).lengths + 4 * slices->entry;
    out->lengths_stride[0] = 4;
}

/* Sets the strides of these loops for a value [entries][H][rows][C] with `bytes` per element. */
static void score_strides(const struct lowering* lowering, const struct pass* pass, int32_t bytes,
                          int32_t stride[4])
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t row = (int32_t)placement_width(lowering->placement, pass) * bytes;
    const int32_t head = (int32_t)pass->shape.rows * row;
    stride[0] = (int32_t)shape->heads * head;
    stride[1] = (int32_t)(shape->heads / shape->kv_heads) * head;
    stride[2] = row;
    stride[3] = head;
}

/* Sets the strides of these loops for a value [entries][rows][H][width] with `bytes` per
 * element. */
static void head_strides(const struct lowering* lowering, const struct pass* pass, uint32_t width,
                         int32_t bytes, int32_t stride[4])
{
    const struct levee_model_header* shape = &lowering->model->header;
    const int32_t head = (int32_t)width * bytes;
    const int32_t row = (int32_t)shape->heads * head;
    stride[0] = (int32_t)pass->shape.rows * row;
    stride[1] = (int32_t)(shape->heads / shape->kv_heads) * head;
    stride[2] = row;
    stride[3] = head;
}

/* Returns the offset of the slices' part within a value that has these strides. */
static uint64_t offset_of(const struct slices* slices, const int32_t stride[4])
{
    return (uint64_t)slices->entry * (uint32_t)stride[0] +
           (uint64_t)slices->head * (uint32_t)stride[1];
}

/* The redirection table of keys or values for a part of the layer's cache. */
static struct levee_rsa_redirect* redirect_of(const struct lowering* lowering,
                                              const struct slices* slices, uint32_t layer,
                                              unsigned staged)
{
    struct layer_part* parts = lowering->common->layers[layer].parts;
    return &parts[slices->index].redirect[staged == VALUE_STAGED_VALUES];
}

/* Sets the list of slots as the redirection table. The listed vectors are in the cache itself. */
static uint64_t set_listed(const struct lowering* lowering, const struct pass* pass,
                           const struct slices* slices, uint32_t layer, unsigned staged)
{
    const struct cache* cache = &lowering->placement->cache;
    const int32_t row = (int32_t)lower_vector_bytes(lowering);
    struct levee_rsa_redirect* out = redirect_of(lowering, slices, layer, staged);
    *out = (struct levee_rsa_redirect){
        .base = staged == VALUE_STAGED_KEYS ? slices->keys : slices->values,
        .base_stride = {slices->stride[0], slices->stride[1], row},
        .common = (uint16_t)pass->longest_listed,
    };
    out->table = lower_listed(lowering, slices, cache->listing.slots, out->table_stride);
    return bus_address(out);
}

/* Sets the redirection of vectors that are not in their slots: recomputed vectors, and those of an
 * arriving token. These are in STAGED_KEYS or STAGED_VALUES. */
static uint64_t set_redirect(const struct lowering* lowering, const struct pass* pass,
                             const struct slices* slices, uint32_t layer, unsigned staged)
{
    if (pass->shape.form.listed)
        return set_listed(lowering, pass, slices, layer, staged);
    if (!pass->shape.form.staged && !pass->shape.form.recomputes)
        return 0;
    const struct levee_model_header* shape = &lowering->model->header;
    const struct cache* cache = &lowering->placement->cache;
    const uint64_t first =
        ((uint64_t)slices->batch_entry * shape->kv_heads + slices->head) * cache->slots;
    const int32_t row = (int32_t)lower_vector_bytes(lowering);
    const int32_t head = (int32_t)lower_staged_rows(lowering) * row;
    const int32_t entry = (int32_t)shape->kv_heads * head;
    struct levee_rsa_redirect* out = redirect_of(lowering, slices, layer, staged);
    *out = (struct levee_rsa_redirect){
        .table = cache_redirect_of(cache, cache->snapshot) + 4 * first,
        .base = lowering->values[staged].data + (uint64_t)slices->entry * (uint32_t)entry +
                slices->head * (uint32_t)head,
        .table_stride = {slices->scale_stride[0], slices->scale_stride[1]},
        .base_stride = {entry, head, row},
        .common = pass->shape.form.staged,
        .partial = (uint16_t)lower_recomputed(pass, layer),
    };
    return bus_address(out);
}

/* Flags of a product whose keys or values are reached through `redirect`. */
static uint8_t redirect_flags(const struct pass* pass)
{
    const struct cache_form* form = &pass->shape.form;
    return form->recomputes && form->free ? LEVEE_RSA_PARTIAL_FREE : 0;
}

/* Describes scores = q K^T. The array's output stage multiplies by q's scale, the scale of each
 * key, and 1 / sqrt(D). */
void lower_scores(const struct lowering* lowering, const struct pass* pass,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices found = lower_slices(lowering, pass, operation);
    const struct slices* slices = &found;
    struct levee_rsa_operation* out = product(descriptor);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* query = &lowering->values[VALUE_QUERY];
    attention_loops(lowering, pass, slices, out);
    head_strides(lowering, pass, shape->head_dim, INT16_BYTES, out->a_stride);
    out->a = query->data + offset_of(slices, out->a_stride);
    out->a_type = LEVEE_TYPE_INT16;
    head_strides(lowering, pass, 1, FP32_BYTES, out->a_scale_stride);
    out->a_scale = query->scale + offset_of(slices, out->a_scale_stride);
    out->b = slices->keys;
    out->b_stride[0] = slices->stride[0];
    out->b_stride[1] = slices->stride[1];
    out->b_stride[2] = (int32_t)lower_vector_bytes(lowering);
    out->b_scale = slices->key_scales;
    out->b_scale_stride[0] = slices->scale_stride[0];
    out->b_scale_stride[1] = slices->scale_stride[1];
    out->b_scale_stride[2] = FP32_BYTES;
    if (pass->shape.form.listed)
        out->b_scale = lower_listed(lowering, slices, lowering->placement->cache.listing.key_scales,
                                    out->b_scale_stride);
    out->redirect = set_redirect(lowering, pass, slices, operation->layer, VALUE_STAGED_KEYS);
    out->flags = LEVEE_RSA_B_TRANSPOSED | redirect_flags(pass);
    lower_kv_operand(lowering, out);
    score_strides(lowering, pass, FP32_BYTES, out->out_stride);
    out->out = lowering->values[VALUE_SCORES].data + offset_of(slices, out->out_stride);
    out->k = shape->head_dim;
    out->n = slices->slots;
    out->ragged = LEVEE_RSA_RAGGED_N;
    out->alpha = lowering->common->score_scale;
    if (pass->shape.form.scored && !pass->shape.form.prefill && !pass->shape.form.search_after &&
        lowering->policy->score == LEVEE_KV_SCORE_LOGIT)
        out->tap = 1 + LEVEE_PORT_ARRAY;
}

/* Describes mixed = p V. The probabilities p already include V's scales. */
void lower_mix(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct slices found = lower_slices(lowering, pass, operation);
    const struct slices* slices = &found;
    struct levee_rsa_operation* out = product(descriptor);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct operand* probabilities = &lowering->values[VALUE_PROBABILITIES];
    attention_loops(lowering, pass, slices, out);
    score_strides(lowering, pass, INT16_BYTES, out->a_stride);
    out->a = probabilities->data + offset_of(slices, out->a_stride);
    out->a_type = LEVEE_TYPE_INT16;
    out->a_scale_stride[3] = (int32_t)pass->shape.rows * FP32_BYTES;
    out->a_scale_stride[2] = FP32_BYTES;
    out->a_scale_stride[1] = (int32_t)(shape->heads / shape->kv_heads) * out->a_scale_stride[3];
    out->a_scale_stride[0] = (int32_t)shape->heads * out->a_scale_stride[3];
    out->a_scale = probabilities->scale + offset_of(slices, out->a_scale_stride);
    out->b = slices->values;
    out->b_stride[0] = slices->stride[0];
    out->b_stride[1] = slices->stride[1];
    out->b_stride[2] = (int32_t)lower_vector_bytes(lowering);
    out->redirect = set_redirect(lowering, pass, slices, operation->layer, VALUE_STAGED_VALUES);
    out->flags = redirect_flags(pass);
    lower_kv_operand(lowering, out);
    out->n = model_cached_value(lowering->model);
    head_strides(lowering, pass, out->n, FP32_BYTES, out->out_stride);
    out->out = lowering->values[VALUE_MIXED].data + offset_of(slices, out->out_stride);
    out->k = slices->slots;
    out->ragged = LEVEE_RSA_RAGGED_K;
}

/* Describes reading rows of inputs as if they were keys, once for all heads. The results are
 * unused, and overwrite scores. */
void lower_read_inputs(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_rsa_operation* out = product(descriptor);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct cache* cache = &lowering->placement->cache;
    const int32_t row = (int32_t)shape->dim * INT16_BYTES;
    int32_t scores[4];
    score_strides(lowering, pass, FP32_BYTES, scores);
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->a = lowering->values[VALUE_NORMED].data;
    out->a_type = LEVEE_TYPE_INT16;
    out->a_stride[0] = row;
    out->b = cache->inputs->rows[operation->layer];
    out->b_type = LEVEE_TYPE_INT16;
    out->b_stride[0] = (int32_t)cache->input_rows * row;
    out->b_stride[2] = row;
    out->flags = LEVEE_RSA_B_TRANSPOSED;
    out->out = lowering->values[VALUE_SCORES].data;
    out->out_stride[0] = scores[0];
    out->k = shape->dim;
    patch_read_inputs(lowering, pass, operation, descriptor);
}

void patch_read_inputs(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering;
    rsa_operation(descriptor)->n = lower_recomputed(pass, operation->layer);
}

void patch_linear_rows(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering;
    rsa_operation(descriptor)->m1 = lower_linear_rows(pass, operation);
}

void patch_redirect(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)descriptor;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const unsigned staged =
        operation->kind == OPERATION_MIX ? VALUE_STAGED_VALUES : VALUE_STAGED_KEYS;
    redirect_of(lowering, &slices, operation->layer, staged)->partial =
        (uint16_t)lower_recomputed(pass, operation->layer);
}
