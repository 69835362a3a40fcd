// SPDX-License-Identifier: Apache-2.0
/* Norms and softmax. The unit computes statistics while elements arrive, and normalises elements
 * when they are read. */
#include "firmware/drivers/element_serial.h"
#include "firmware/target/veda/lower.h"

#include <stddef.h>

/* Begins an operation on vectors whose elements are FP16 in memory. */
static struct levee_es_operation* function(struct levee_descriptor* descriptor,
                                           enum levee_es_opcode opcode, enum levee_es_function kind)
{
    struct levee_es_operation* out = element_serial_operation(descriptor);
    descriptor->opcode = (uint8_t)opcode;
    out->function = (uint8_t)kind;
    out->outer[0] = out->outer[1] = out->rows = out->group = 1;
    out->x_type = LEVEE_TYPE_FP16;
    return out;
}

static enum levee_es_function norm_kind(const struct lowering* lowering)
{
    return lowering->model->header.norm == LEVEE_NORM_RMS ? LEVEE_ES_RMS_NORM : LEVEE_ES_LAYER_NORM;
}

/* Returns the norm whose results the product reads. */
static const struct norm* norm_of(const struct lowering* lowering,
                                  const struct operation* operation)
{
    const struct model* model = lowering->model;
    if (operation->norm != NULL)
        return operation->norm;
    if (operation->layer == LEVEE_NO_LAYER)
        return &model->final_norm;
    const struct layer* layer = &model->layers[operation->layer];
    return operation->matrix == &layer->up ? &layer->ffn_norm : &layer->attention_norm;
}

/* Begins an operation that computes the statistics of the whole vector X. */
static struct levee_es_operation* reduce_x(const struct lowering* lowering, const struct pass* pass,
                                           struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out = function(descriptor, LEVEE_ES_REDUCE, norm_kind(lowering));
    const uint32_t dim = lowering->model->header.dim;
    out->rows = (uint16_t)(pass->shape.entries * pass->shape.rows);
    out->n = dim;
    out->statistics = lowering->values[VALUE_X].scale;
    out->statistics_stride[2] = STATISTICS_BYTES;
    return out;
}

/* Computes the statistics of X from memory. */
static void reduce_all(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)operation;
    struct levee_es_operation* out = reduce_x(lowering, pass, descriptor);
    out->x = lowering->values[VALUE_X].data;
    out->x_stride[2] = (int32_t)out->n * FP16_BYTES;
}

/* Adds results to X. They come from the arrays, or from the function unit that processes the
 * arrays' results. */
static void add_to_x(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out = reduce_x(lowering, pass, descriptor);
    out->x = veda_stream(lowering, veda_is_biased(lowering, pass, operation) ? VEDA_PORT_NORMALISED
                                                                             : VEDA_PORT_RESULTS);
    out->x_type = LEVEE_TYPE_FP32;
    out->y = out->out = lowering->values[VALUE_X].data;
    out->y_stride[2] = out->out_stride[2] = (int32_t)out->n * FP16_BYTES;
}

/* Sends normalised vectors of X to the arrays, or writes them to NORMED. */
static void normalise_x(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out = function(descriptor, LEVEE_ES_NORMALISE, norm_kind(lowering));
    const struct levee_model_header* shape = &lowering->model->header;
    const struct norm* norm = norm_of(lowering, operation);
    const bool some = operation->on_logit_rows;
    const uint32_t rows = some ? pass->shape.logit_rows : pass->shape.rows;
    const uint32_t first = some ? pass->shape.logit_first : 0;
    const int32_t row = (int32_t)shape->dim * FP16_BYTES;
    out->outer[0] = (uint16_t)pass->shape.entries;
    out->rows = (uint16_t)rows;
    out->n = shape->dim;
    out->x = lowering->values[VALUE_X].data + (uint64_t)first * (uint32_t)row;
    out->x_stride[2] = row;
    out->x_stride[0] = (int32_t)pass->shape.rows * row;
    out->statistics = lowering->values[VALUE_X].scale + (uint64_t)first * STATISTICS_BYTES;
    out->statistics_stride[2] = STATISTICS_BYTES;
    out->statistics_stride[0] = (int32_t)pass->shape.rows * STATISTICS_BYTES;
    out->gain = norm->gain;
    out->bias = shape->norm == LEVEE_NORM_LAYER ? norm->bias : 0;
    out->param = shape->norm_epsilon;
    out->out = veda_normalises(lowering, pass, operation)
                   ? veda_stream(lowering, VEDA_PORT_NORMALISED)
                   : lowering->values[VALUE_NORMED].data;
    out->out_stride[2] = row;
    out->out_stride[0] = (int32_t)rows * row;
}

/* Sets loops, scores and statistics of a softmax, with one vector for each entry, query head and
 * token. */
static struct levee_es_operation* softmax(const struct lowering* lowering, const struct pass* pass,
                                          const struct operation* operation,
                                          enum levee_es_opcode opcode,
                                          struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out = function(descriptor, opcode, LEVEE_ES_SOFTMAX);
    const struct levee_model_header* shape = &lowering->model->header;
    const struct slices slices = lower_slices(lowering, pass, operation);
    const struct operand* scores = &lowering->values[VALUE_SCORES];
    const int32_t row = (int32_t)placement_width(lowering->placement, pass) * FP16_BYTES;
    out->group = (uint16_t)(shape->heads / shape->kv_heads);
    out->outer[0] = (uint16_t)slices.entries;
    out->outer[1] = (uint16_t)(slices.heads * out->group);
    out->rows = (uint16_t)pass->shape.rows;
    out->n = pass->longest;
    out->flags = pass->shape.rows > 1 ? LEVEE_ES_CAUSAL : 0;
    out->window = pass->window;
    out->lengths = pass->lengths + WORD_BYTES * slices.entry;
    out->lengths_stride[0] = WORD_BYTES;
    veda_head_strides(lowering, pass, row, out->out_stride);
    out->out = scores->data + veda_offset(lowering, &slices, out->out_stride);
    veda_head_strides(lowering, pass, STATISTICS_BYTES, out->statistics_stride);
    out->statistics = scores->scale + veda_offset(lowering, &slices, out->statistics_stride);
    return out;
}

static void reduce_scores(const struct lowering* lowering, const struct pass* pass,
                          const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out =
        softmax(lowering, pass, operation, LEVEE_ES_REDUCE, descriptor);
    out->x = veda_stream(lowering, VEDA_PORT_RESULTS);
    out->x_type = LEVEE_TYPE_FP32;
    out->param = lowering->common->score_scale;
}

/* Sends probabilities to the arrays, or writes them over their scores. */
static void normalise_scores(const struct lowering* lowering, const struct pass* pass,
                             const struct operation* operation, struct levee_descriptor* descriptor)
{
    struct levee_es_operation* out =
        softmax(lowering, pass, operation, LEVEE_ES_NORMALISE, descriptor);
    out->x = out->out;
    for (unsigned i = 0; i < 3; ++i)
        out->x_stride[i] = out->out_stride[i];
    if (veda_normalises(lowering, pass, operation))
        out->out = veda_stream(lowering, VEDA_PORT_NORMALISED);
    else if (pass->shape.form.scored)
        out->tap = 1 + lowering->machine->importance_port;
}

static void patch_length(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, struct levee_descriptor* descriptor)
{
    (void)lowering, (void)operation;
    element_serial_operation(descriptor)->n = pass->longest;
}

/* Returns whether probabilities stream to the arrays. Heads that share values pass their
 * probabilities to the arrays alternately, piece by piece. A unit that counts probabilities,
 * however, needs them head by head. If there is one, probabilities go to memory first. */
static bool mixes_streamed(const struct lowering* lowering, const struct pass* pass)
{
    const struct levee_model_header* shape = &lowering->model->header;
    const bool in_turn = shape->heads != shape->kv_heads;
    return pass->shape.rows == 1 && !(in_turn && pass->shape.form.scored);
}

bool veda_normalises(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation)
{
    if (operation->kind == OPERATION_MIX)
        return veda.serial && mixes_streamed(lowering, pass);
    return veda.serial_functions && operation->kind == OPERATION_LINEAR &&
           operation->reads[0] == VALUE_NORMED && veda_vectors(pass, operation) == 1;
}

/* Returns whether X comes from the embedding. This X has no statistics yet, and the first layer's
 * norm reads it. */
static bool is_embedded(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation)
{
    (void)pass;
    return veda.serial_functions && operation->norm == &lowering->model->layers[0].attention_norm;
}

static bool is_several(const struct lowering* lowering, const struct pass* pass,
                       const struct operation* operation)
{
    (void)lowering;
    return veda.serial_functions && veda_vectors(pass, operation) != 1;
}

bool veda_is_added(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation)
{
    (void)lowering, (void)pass;
    return veda.serial_functions && operation->writes == VALUE_PROJECTED;
}

bool veda_is_biased(const struct lowering* lowering, const struct pass* pass,
                    const struct operation* operation)
{
    (void)lowering, (void)pass;
    return operation->matrix->bias != 0;
}

static bool is_serial(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return veda.serial;
}

static bool is_whole(const struct lowering* lowering, const struct pass* pass,
                     const struct operation* operation)
{
    return !is_serial(lowering, pass, operation);
}

/* For NORM and ADD: returns whether a function unit computes them on whole vectors, because the
 * element-serial unit does not compute them. */
static bool is_whole_vector(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return !veda.serial_functions;
}

static bool always(const struct lowering* lowering, const struct pass* pass,
                   const struct operation* operation)
{
    (void)lowering, (void)pass, (void)operation;
    return true;
}

/* Returns whether VALUE_X has no statistics for the norm. This is so for the embedding, and with
 * several groups, as each group writes only a part of the vector. A separate operation then
 * computes the statistics of the whole vector from memory. */
static bool has_no_statistics(const struct lowering* lowering, const struct pass* pass,
                              const struct operation* operation)
{
    return veda.groups > 1 || is_embedded(lowering, pass, operation);
}

bool veda_norm_is_needed(const struct lowering* lowering, const struct pass* pass,
                         const struct operation* operation, uint32_t part)
{
    (void)part;
    return is_whole_vector(lowering, pass, operation) ||
           has_no_statistics(lowering, pass, operation) || is_several(lowering, pass, operation);
}

bool veda_add_is_needed(const struct lowering* lowering, const struct pass* pass,
                        const struct operation* operation, uint32_t part)
{
    (void)part;
    return is_whole_vector(lowering, pass, operation);
}

bool veda_softmax_is_needed(const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation, uint32_t part)
{
    (void)part;
    return is_whole(lowering, pass, operation) || !mixes_streamed(lowering, pass);
}

const struct unit_class class_veda = {.type = LEVEE_BLOCK_VEDA, .name = "PE arrays"};
const struct unit_class class_serial = {
    .type = LEVEE_BLOCK_ELEMENT_SERIAL, .name = "element-serial unit", .optional = true};

static const struct partner norm[] = {
    {.unit = &class_serial, .lower = reduce_all, .takes = has_no_statistics},
    {.unit = &class_serial, .lower = normalise_x, .takes = is_several},
    {.unit = &class_functions, .lower = lower_norm, .takes = is_whole_vector},
};
static const struct partner linear[] = {
    {&class_serial, normalise_x, veda_normalises, NULL, veda_narrow_normalised},
    {&class_veda, veda_product, always, NULL, veda_narrow_product},
    {&class_functions, veda_bias, veda_is_biased, NULL, veda_narrow_biased},
    {&class_serial, add_to_x, veda_is_added, NULL, veda_narrow_added},
};
static const struct partner scores[] = {
    {&class_veda, veda_score_products, always, veda_patch_scores, veda_narrow_attention},
    {&class_serial, reduce_scores, is_serial, patch_length, veda_narrow_softmax},
};
static const struct partner probabilities[] = {
    {&class_serial, normalise_scores, is_serial, patch_length, veda_narrow_softmax},
    {&class_functions, veda_whole_softmax, is_whole, veda_patch_whole_softmax, NULL},
};
static const struct partner mix[] = {
    {&class_serial, normalise_scores, veda_normalises, patch_length, veda_narrow_softmax},
    {&class_veda, veda_mix_products, always, veda_patch_mix, veda_narrow_attention},
};

#define PARTNERS(list, pieces)                                                                     \
    {                                                                                              \
        list, sizeof list / sizeof *list, pieces                                                   \
    }
const struct partners veda_norm = PARTNERS(norm, NULL);
const struct partners veda_linear = PARTNERS(linear, veda_column_pieces);
const struct partners veda_scores = PARTNERS(scores, veda_head_pieces);
const struct partners veda_softmax = PARTNERS(probabilities, veda_head_pieces);
const struct partners veda_mix = PARTNERS(mix, veda_head_pieces);
