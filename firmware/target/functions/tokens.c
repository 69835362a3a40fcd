// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/sfu.h"
#include "firmware/target/lower.h"

_Static_assert(sizeof(struct pick) == sizeof(struct levee_sfu_pick),
               "results of the function unit");
_Static_assert(1u << LEVEE_SFU_MIN_GROUP_LOG2 == LEVEE_MODEL_MIN_GROUP &&
                   1u << LEVEE_SFU_MAX_GROUP_LOG2 == LEVEE_MODEL_MAX_GROUP,
               "EMBED supports all group sizes of embeddings");

/* Begins an operation on vectors. The formats are FP32 until other formats are set. */
static struct levee_sfu_operation* vectors(struct levee_descriptor* descriptor, uint8_t opcode)
{
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    descriptor->opcode = opcode;
    out->outer[0] = out->outer[1] = 1;
    out->rows = 1;
    out->x_type = out->out_type = LEVEE_TYPE_FP32;
    return out;
}

void lower_embed(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_EMBED);
    const struct model* model = lowering->model;
    const uint8_t type = lower_format(lowering, VALUE_X)->type;
    const int32_t row = (int32_t)model->header.dim * lower_element_bytes(type);
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->rows = (uint16_t)pass->shape.rows;
    out->n = model->header.dim;
    out->x = model->embedding.data;
    out->x_type = (uint8_t)model->embedding.type;
    out->x_stride[2] = (int32_t)model->embedding.row_bytes;
    out->gain = model->embedding.scale;
    out->block_log2 = (uint8_t)matrix_group_log2(&model->embedding);
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
    out->out_type = type;
    out->out_stride[0] = (int32_t)pass->shape.rows * row;
    out->out_stride[2] = row;
}

void patch_embed(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    sfu_operation(descriptor)->indices = pass->tokens.address;
}

/* Returns the bytes of `n` elements of a value. */
static int32_t bytes_of(const struct lowering* lowering, unsigned value, uint32_t n)
{
    return (int32_t)n * lower_element_bytes(lower_format(lowering, value)->type);
}

/* Sets x and the output to one vector of `n` elements per token. A token's row has `width`
 * elements. */
static void per_token(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t n, uint32_t width,
                      struct levee_sfu_operation* out)
{
    const struct operand* result = &lowering->values[operation->writes];
    const bool is_code = lower_is_code(lower_format(lowering, operation->writes)->type);
    out->rows = (uint16_t)(pass->shape.entries * pass->shape.rows);
    out->n = n;
    out->x = lowering->values[operation->reads[0]].data;
    out->x_type = lower_format(lowering, operation->reads[0])->type;
    out->x_stride[2] = bytes_of(lowering, operation->reads[0], width);
    out->out = result->data;
    out->out_type = lower_format(lowering, operation->writes)->type;
    out->out_stride[2] = bytes_of(lowering, operation->writes, n);
    out->out_scale = is_code ? result->scale : 0;
    out->out_scale_stride[2] = is_code ? FP32_BYTES : 0;
}

/* Sets the second operand. Its type is FP16 or FP32; FP32 is the default. */
static void set_y(uint8_t type, uint64_t address, int32_t stride, struct levee_sfu_operation* out)
{
    out->y = address;
    out->y_stride[2] = stride;
    out->y_type = type == LEVEE_TYPE_FP16 ? type : (uint8_t)LEVEE_TYPE_NONE;
}

/* Describes an in-place norm of queries or keys, over all heads together. */
static void norm_heads(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const struct layer* layer = &lowering->model->layers[operation->layer];
    const bool keys = operation->norm == &layer->key_norm;
    const uint32_t n = (keys ? shape->kv_heads : shape->heads) * shape->head_dim;
    const bool together = operation->reads[0] == VALUE_QKV;
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_RMS_NORM);
    per_token(lowering, pass, operation, n, together ? layer->qkv.rows : n, out);
    out->out_stride[2] = out->x_stride[2];
    if (together && keys)
        out->x += (uint32_t)bytes_of(lowering, VALUE_QKV, shape->heads * shape->head_dim);
    out->out = out->x;
    out->gain = operation->norm->gain;
    out->param = shape->norm_epsilon;
}

/* Describes an in-place norm of the vector from which queries are computed, or of the latent part
 * of keys. */
static void norm_latent(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const bool keys = operation->reads[0] == VALUE_RAW_KEYS;
    const uint32_t n = keys ? shape->structure.kv_latent : shape->structure.query_latent;
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_RMS_NORM);
    per_token(lowering, pass, operation, n, keys ? shape->head_dim : n, out);
    out->gain = operation->norm->gain;
    out->param = shape->norm_epsilon;
    if (!keys)
        return;
    out->x += (uint32_t)bytes_of(lowering, VALUE_RAW_KEYS, lowering->model->rotated);
    out->out = out->x;
    out->out_stride[2] = out->x_stride[2];
}

static bool is_of_latent(const struct lowering* lowering, const struct operation* operation)
{
    if (!(lowering->model->properties & MODEL_LATENT) || operation->layer == LEVEE_NO_LAYER)
        return false;
    const struct latent* latent = lowering->model->layers[operation->layer].latent;
    return operation->norm == &latent->norm || operation->norm == &latent->query_norm;
}

void lower_norm(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const enum value value = operation->reads[0];
    if (is_of_latent(lowering, operation)) {
        norm_latent(lowering, pass, operation, descriptor);
        return;
    }
    if (value == VALUE_QKV || value == VALUE_RAW_QUERY || value == VALUE_RAW_KEYS) {
        norm_heads(lowering, pass, operation, descriptor);
        return;
    }
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_QUANTISE);
    per_token(lowering, pass, operation, shape->dim, shape->dim, out);
    const int32_t row = out->x_stride[2];
    if (operation->norm->gain != 0) {
        const bool layer = shape->norm == LEVEE_NORM_LAYER;
        descriptor->opcode = layer ? LEVEE_SFU_LAYER_NORM : LEVEE_SFU_RMS_NORM;
        out->gain = operation->norm->gain;
        out->bias = layer ? operation->norm->bias : 0;
        out->param = shape->norm_epsilon;
    }
    if (operation->on_logit_rows) {
        out->outer[0] = (uint16_t)pass->shape.entries;
        out->rows = (uint16_t)pass->shape.logit_rows;
        out->x += (uint64_t)pass->shape.logit_first * (uint32_t)row;
        out->x_stride[0] = (int32_t)pass->shape.rows * row;
        out->out_stride[0] = (int32_t)pass->shape.logit_rows * out->out_stride[2];
        out->out_scale_stride[0] = (int32_t)pass->shape.logit_rows * out->out_scale_stride[2];
    }
}

/* The part of each head's vector that the next operation of latent attention reads: its first `n`
 * elements. Source vectors have `from` elements, and result vectors have `to` elements. */
struct head_part {
    uint32_t first, n, from, to;
};

static struct head_part part_of_heads(const struct model* model, const struct operation* operation)
{
    const struct levee_model_structure* structure = &model->header.structure;
    const uint32_t latent = structure->kv_latent, nope = structure->nope_dim;
    if (operation->reads[0] == VALUE_MIXED)
        return (struct head_part){0, latent, latent, latent};
    if (operation->writes == VALUE_QKV)
        return (struct head_part){nope, model->rotated, model_raw_query(model),
                                  model->header.head_dim};
    return (struct head_part){0, nope, model_raw_query(model), nope};
}

/* Converts vectors of heads, [tokens][H]. Codes have one scale per vector. */
static void quantise_heads(const struct lowering* lowering, const struct pass* pass,
                           const struct operation* operation, struct levee_descriptor* descriptor)
{
    const struct head_part part = part_of_heads(lowering->model, operation);
    const uint32_t heads = lowering->model->header.heads;
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_QUANTISE);
    per_token(lowering, pass, operation, part.n, heads * part.from, out);
    out->outer[1] = (uint16_t)heads;
    out->x += (uint32_t)bytes_of(lowering, operation->reads[0], part.first);
    out->x_stride[1] = bytes_of(lowering, operation->reads[0], part.from);
    out->out_stride[1] = bytes_of(lowering, operation->writes, part.to);
    out->out_stride[2] = (int32_t)heads * out->out_stride[1];
    out->out_scale_stride[1] = out->out_scale_stride[2];
    out->out_scale_stride[2] *= (int32_t)heads;
}

/* Converts the results of attention, [tokens][H * D]. If values are stored as products with a
 * Hadamard matrix, so are these results. Multiplying them by the matrix again restores them, since
 * the matrix is its own inverse. */
static void quantise_attended(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation, uint32_t n,
                              struct levee_sfu_operation* out)
{
    per_token(lowering, pass, operation, n, n, out);
    out->block_log2 = lower_hadamard_log2(lowering->model);
}

void lower_quantise(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    const uint32_t n = lowering->model->header.heads * model_head_result(lowering->model);
    if ((lowering->model->properties & MODEL_LATENT) && operation->reads[0] != VALUE_RAW_VALUES)
        quantise_heads(lowering, pass, operation, descriptor);
    else
        quantise_attended(lowering, pass, operation, n, vectors(descriptor, LEVEE_SFU_QUANTISE));
}

/* Activates the results of a matrix. Each token's row has the gate first, and then up. */
void lower_activate(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation, struct levee_descriptor* descriptor)
{
    static const uint8_t opcodes[LEVEE_ACTIVATION_END] = {
        [LEVEE_ACTIVATION_SILU_GLU] = LEVEE_SFU_SILU_MUL,
        [LEVEE_ACTIVATION_RELU] = LEVEE_SFU_RELU,
        [LEVEE_ACTIVATION_GELU] = LEVEE_SFU_GELU,
        [LEVEE_ACTIVATION_GELU_GLU] = LEVEE_SFU_GELU_MUL,
        [LEVEE_ACTIVATION_GELU_TANH] = LEVEE_SFU_GELU_TANH,
        [LEVEE_ACTIVATION_GELU_TANH_GLU] = LEVEE_SFU_GELU_TANH_MUL,
        [LEVEE_ACTIVATION_RELU_SQUARED] = LEVEE_SFU_RELU_SQUARED,
        [LEVEE_ACTIVATION_RELU_GLU] = LEVEE_SFU_RELU_MUL,
        [LEVEE_ACTIVATION_CLAMPED_GLU] = LEVEE_SFU_CLAMPED_MUL,
    };
    const struct levee_model_header* shape = &lowering->model->header;
    const struct matrix* matrix = operation->matrix;
    const uint32_t hidden = matrix_activated(lowering->model, matrix);
    struct levee_sfu_operation* out = vectors(descriptor, opcodes[shape->activation]);
    per_token(lowering, pass, operation, hidden, matrix->rows, out);
    out->rows = (uint16_t)(out->rows * matrix_branches(lowering->model, matrix));
    if (levee_is_gated(shape->activation))
        set_y(out->x_type, out->x + (uint32_t)bytes_of(lowering, operation->reads[0], hidden),
              out->x_stride[2], out);
    if (shape->activation != LEVEE_ACTIVATION_CLAMPED_GLU)
        return;
    out->cap = shape->structure.glu_limit;
    out->param = shape->structure.glu_alpha;
}

/* Returns the number of expert choices that the tokens of a pass make together. */
static uint64_t chosen_of(const struct lowering* lowering, const struct pass* pass)
{
    return (uint64_t)pass->shape.entries * pass->shape.rows *
           lowering->model->header.structure.chosen;
}

uint64_t lower_choice(const struct lowering* lowering, const struct pass* pass)
{
    const uint64_t tokens = (uint64_t)pass->shape.entries * pass->shape.rows;
    return lowering->values[VALUE_CHOICE].data + WORD_BYTES * lower_gates(lowering->model, tokens);
}

static uint64_t choices(const struct lowering* lowering, const struct pass* pass)
{
    const uint64_t words = lower_choices(lowering->model, chosen_of(lowering, pass));
    return lower_choice(lowering, pass) + WORD_BYTES * words;
}

void lower_route(const struct lowering* lowering, const struct pass* pass,
                 const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_ROUTE);
    const struct levee_model_structure* structure = &lowering->model->header.structure;
    per_token(lowering, pass, operation, structure->experts, structure->experts, out);
    out->seed = structure->chosen;
    out->param = structure->flags & LEVEE_STRUCTURE_AMONG_CHOSEN ? 1.0f : 0.0f;
    out->flags = structure->flags & LEVEE_STRUCTURE_SIGMOID ? LEVEE_SFU_SIGMOID : 0;
    out->bias = lowering->model->layers[operation->layer].mixture->choice_bias;
    out->out = lower_choice(lowering, pass);
    out->out_scale = choices(lowering, pass);
}

void lower_combine(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_COMBINE);
    const uint32_t dim = lowering->model->header.dim;
    per_token(lowering, pass, operation, dim, dim, out);
    out->seed = lowering->model->header.structure.chosen;
    out->indices = choices(lowering, pass);
    const struct mixture* mixture = lowering->model->layers[operation->layer].mixture;
    if (mixture->shared_up.rows == 0)
        return;
    set_y(lower_format(lowering, VALUE_PROJECTED)->type, lowering->values[VALUE_PROJECTED].data,
          bytes_of(lowering, VALUE_PROJECTED, dim), out);
    out->gain = mixture->shared_gate.rows != 0 ? lowering->values[VALUE_CHOICE].data : 0;
}

void lower_add(const struct lowering* lowering, const struct pass* pass,
               const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_sfu_operation* out = vectors(descriptor, LEVEE_SFU_ADD);
    const uint32_t dim = lowering->model->header.dim;
    per_token(lowering, pass, operation, dim, dim, out);
    set_y(lower_format(lowering, operation->reads[1])->type,
          lowering->values[operation->reads[1]].data, bytes_of(lowering, operation->reads[1], dim),
          out);
}

/* The condition is marked as unlikely. Picks without targets then take the same time as in a
 * program that lacks this feature. */
static inline bool reads_targets(const struct pass* pass)
{
    return __builtin_expect(pass->shape.pick >= PICK_LOG_PROB, false);
}

void patch_pick(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    struct levee_sfu_operation* out = sfu_operation(descriptor);
    out->out = pass->picks;
    out->seed = pass->seed;
    if (reads_targets(pass))
        out->indices = pass->targets.address;
}

static void set_temperatures(const struct pass* pass, struct levee_sfu_operation* out)
{
    out->positions = pass->targets.address + offsetof(struct draw, temperature);
    out->positions_stride[0] = (uint16_t)pass->targets.per_entry;
}

void lower_pick(const struct lowering* lowering, const struct pass* pass,
                const struct operation* operation, struct levee_descriptor* descriptor)
{
    static const uint8_t opcodes[] = {
        [PICK_ARGMAX] = LEVEE_SFU_ARGMAX,
        [PICK_SAMPLE] = LEVEE_SFU_SAMPLE,
        [PICK_LOG_PROB] = LEVEE_SFU_LOG_PROB,
        [PICK_SEEDED] = LEVEE_SFU_SAMPLE,
    };
    struct levee_sfu_operation* out = vectors(descriptor, opcodes[pass->shape.pick]);
    const int32_t row = (int32_t)lowering->model->header.vocab * FP32_BYTES;
    const int32_t picked = (int32_t)sizeof(struct pick);
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->rows = (uint16_t)pass->shape.logit_rows;
    out->n = lowering->model->header.vocab;
    out->x = lowering->values[VALUE_LOGITS].data;
    out->x_stride[0] = (int32_t)pass->shape.logit_rows * row;
    out->x_stride[2] = row;
    out->out_stride[0] = (int32_t)pass->shape.logit_rows * picked;
    out->out_stride[2] = picked;
    out->param = pass->shape.pick == PICK_SAMPLE ? pass->temperature : 0.0f;
    out->cap = lowering->model->header.structure.logit_cap;
    if (reads_targets(pass)) {
        if (pass->shape.pick == PICK_SEEDED)
            set_temperatures(pass, out);
        out->indices_stride[0] = pass->targets.per_entry;
        out->indices_stride[2] = pass->targets.per_row;
    }
    patch_pick(lowering, pass, operation, descriptor);
}
