// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/model.h"

#include "core/abi/element_type.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"

#include <stdbool.h>
#include <stddef.h>

#define FP16_BYTES 2u
#define KINDS (LEVEE_TENSOR_LAST + 1u)

struct table {
    const struct model* model;
    struct levee_tensor_entry* entries;
    uint32_t next_kept; /* number of the next record of a matrix in a component's own memory */
    uint16_t* index;    /* [layers + 1][KINDS]: 1 + the tensor's number, 0: absent. The last row
                           holds the tensors that belong to no layer */
};

/* Returns the tensor's entry in the index. Returns NULL for a layer or kind that cannot exist. */
static uint16_t* slot(const struct table* table, uint32_t kind, uint32_t layer)
{
    const uint32_t layers = table->model->header.layers;
    const uint32_t row = layer == LEVEE_NO_LAYER ? layers : layer;
    if (kind >= KINDS || (layer != LEVEE_NO_LAYER && layer >= layers))
        return NULL;
    return &table->index[row * KINDS + kind];
}

static void read_table(struct table* table)
{
    const struct levee_model_header* header = &table->model->header;
    const size_t bytes = header->tensor_count * sizeof *table->entries;
    if (header->tensor_count > UINT16_MAX - 1)
        fatal(EXIT_REFUSED, "model image: %lu tensors; expected at most %u",
              (unsigned long)header->tensor_count, UINT16_MAX - 1);
    table->entries = heap_take(bytes, "the tensor table");
    copy_in(table->entries, table->model->address + header->tensor_offset, bytes,
            "the tensor table");
    table->index =
        heap_take((header->layers + 1) * KINDS * sizeof *table->index, "the tensor index");
    for (uint32_t i = 0; i < header->tensor_count; ++i) {
        const struct levee_tensor_entry* entry = &table->entries[i];
        uint16_t* at = slot(table, entry->kind, entry->layer);
        if (at == NULL)
            fatal(EXIT_REFUSED, "model image: tensor %lu has the unknown kind %lu in layer %ld",
                  (unsigned long)i, (unsigned long)entry->kind, (long)entry->layer);
        *at = (uint16_t)(i + 1);
    }
}

static const struct levee_tensor_entry* find(const struct table* table, uint32_t kind,
                                             uint32_t layer)
{
    const uint16_t* at = slot(table, kind, layer);
    return *at == 0 ? NULL : &table->entries[*at - 1];
}

static const struct levee_tensor_entry* need(const struct table* table, uint32_t kind,
                                             uint32_t layer, uint32_t rows, uint32_t cols)
{
    const struct levee_tensor_entry* entry = find(table, kind, layer);
    if (entry == NULL)
        fatal(EXIT_REFUSED, "model image: tensor kind %lu of layer %ld is missing",
              (unsigned long)kind, (long)layer);
    if (entry->rows != rows || entry->cols != cols)
        fatal(EXIT_REFUSED, "model image: tensor kind %lu of layer %ld is %lu x %lu, not %lu x %lu",
              (unsigned long)kind, (long)layer, (unsigned long)entry->rows,
              (unsigned long)entry->cols, (unsigned long)rows, (unsigned long)cols);
    return entry;
}

/* Returns the address of an optional FP32 row vector; 0: the model does not have it. */
static uint64_t vector(const struct table* table, uint32_t kind, uint32_t layer, uint32_t cols)
{
    if (find(table, kind, layer) == NULL)
        return 0;
    const struct levee_tensor_entry* entry = need(table, kind, layer, 1, cols);
    if (entry->type != LEVEE_TYPE_FP32)
        fatal(EXIT_REFUSED, "model image: tensor kind %lu of layer %ld has type %s, not FP32",
              (unsigned long)kind, (long)layer, model_type_name(entry->type));
    return table->model->address + entry->data_offset;
}

static struct matrix matrix(const struct table* table, uint32_t kind, uint32_t layer, uint32_t rows,
                            uint32_t cols)
{
    const struct levee_tensor_entry* entry = need(table, kind, layer, rows, cols);
    uint64_t base = table->model->address;
    if (entry->data_offset == 0 && layer == LEVEE_NO_LAYER)
        fatal(
            EXIT_REFUSED,
            "model image: tensor kind %lu has no data; components keep only the matrices of layers",
            (unsigned long)kind);
    return (struct matrix){
        .data = entry->data_offset != 0 ? base + entry->data_offset : 0,
        .scale = entry->scale_offset != 0 ? base + entry->scale_offset : 0,
        .rows = rows,
        .cols = cols,
        .row_bytes = entry->row_bytes,
        .group = entry->scale_offset != 0 ? table->model->header.weight_group : 0,
        .type = entry->type & ~LEVEE_TENSOR_COLUMNS_FIRST,
        .columns_first = (entry->type & LEVEE_TENSOR_COLUMNS_FIRST) != 0,
    };
}

/* Appends the rows of `next` to those of `first`. In memory, `next` must follow `first` without a
 * gap, or be placed as core/abi/model_image.h states. */
static void append(struct matrix* first, const struct matrix* next, const char* what)
{
    const uint64_t rows = first->rows;
    const uint64_t before = rows * (first->columns_first ? FP16_BYTES : first->row_bytes);
    const uint64_t scales = first->scale != 0 ? first->scale + 4 * rows * matrix_scales(first) : 0;
    if (next->data != (first->data != 0 ? first->data + before : 0) || next->scale != scales ||
        next->row_bytes != first->row_bytes || next->type != first->type ||
        next->columns_first != first->columns_first)
        fatal(EXIT_REFUSED, "model image: the parts of %s are not contiguous", what);
    if ((first->bias == 0) != (next->bias == 0) ||
        (next->bias != 0 && next->bias != first->bias + 4 * rows))
        fatal(EXIT_REFUSED, "model image: the biases of %s are not contiguous", what);
    first->rows += next->rows;
}

/* Finds the record of a matrix that a component stores in its own memory. `matrix` begins with the
 * given tensor. Records are in the order in which this file reads matrices. */
static void find_kept(struct table* table, struct matrix* matrix, uint32_t kind, uint32_t layer)
{
    const struct levee_model_header* header = &table->model->header;
    struct levee_kept_head head = {0, 0};
    if (matrix->data != 0)
        return;
    matrix->kept = table->model->address + header->kept_offset +
                   (uint64_t)table->next_kept * header->kept_bytes;
    if (table->next_kept < header->kept_count)
        copy_in(&head, matrix->kept, sizeof head, "the records of kept matrices");
    if (head.kind != kind || head.layer != layer)
        fatal(EXIT_REFUSED,
              "model image: record %lu of %lu is not of tensor kind %lu of layer %ld, which has "
              "no data",
              (unsigned long)table->next_kept, (unsigned long)header->kept_count,
              (unsigned long)kind, (long)layer);
    ++table->next_kept;
}

static struct matrix biased(const struct table* table, uint32_t kind, uint32_t bias_kind,
                            uint32_t layer, uint32_t rows, uint32_t cols)
{
    struct matrix result = matrix(table, kind, layer, rows, cols);
    result.bias = vector(table, bias_kind, layer, rows);
    return result;
}

static void check_gain(const struct norm* norm)
{
    if (norm->gain == 0)
        fatal(EXIT_REFUSED, "model image: the gain of a normalisation is missing");
}

static struct norm norm(const struct table* table, uint32_t gain_kind, uint32_t layer)
{
    const uint32_t dim = table->model->header.dim;
    return (struct norm){vector(table, gain_kind, layer, dim),
                         vector(table, gain_kind + 1, layer, dim)};
}

/* Returns the gain of a norm. The norm is over each head, or over all `width` elements. */
static uint64_t head_gain(const struct table* table, uint32_t kind, uint32_t layer, uint32_t width)
{
    const struct levee_tensor_entry* entry = find(table, kind, layer);
    const uint32_t head = table->model->header.head_dim;
    return vector(table, kind, layer, entry != NULL && entry->cols == head ? head : width);
}

/* Reads a matrix that is a single tensor. */
static struct matrix alone(struct table* table, uint32_t kind, uint32_t index, uint32_t rows,
                           uint32_t cols)
{
    struct matrix result = matrix(table, kind, index, rows, cols);
    find_kept(table, &result, kind, index);
    return result;
}

/* Reads the matrices of all heads as one; each has `rows` rows. */
static struct matrix of_heads(struct table* table, uint32_t kind, uint32_t index, uint32_t rows,
                              uint32_t cols)
{
    const uint32_t heads = table->model->header.heads;
    struct matrix all = alone(table, kind, index, heads * rows, cols);
    all.rows = rows;
    all.heads = heads;
    return all;
}

/* Reads the matrices for queries and for latent vectors, which replace keys and values. */
static void read_latent(struct table* table, uint32_t index, struct layer* layer)
{
    const struct levee_model_header* shape = &table->model->header;
    const struct levee_model_structure* structure = &shape->structure;
    const uint32_t from = structure->query_latent != 0 ? structure->query_latent : shape->dim;
    struct latent* latent = heap_take(sizeof *latent, "latent attention");
    layer->latent = latent;
    if (structure->query_latent != 0) {
        latent->query = alone(table, LEVEE_TENSOR_W_QUERY_LATENT, index, from, shape->dim);
        latent->query_norm.gain = vector(table, LEVEE_TENSOR_NORM_QUERY_LATENT, index, from);
        check_gain(&latent->query_norm);
    }
    layer->query = alone(table, LEVEE_TENSOR_WQ, index,
                         shape->heads * (structure->nope_dim + table->model->rotated), from);
    layer->key = alone(table, LEVEE_TENSOR_W_KV_LATENT, index, shape->head_dim, shape->dim);
    latent->norm.gain = vector(table, LEVEE_TENSOR_NORM_KV_LATENT, index, structure->kv_latent);
    check_gain(&latent->norm);
    latent->key_up =
        of_heads(table, LEVEE_TENSOR_W_KEY_UP, index, structure->kv_latent, structure->nope_dim);
    latent->value_up =
        of_heads(table, LEVEE_TENSOR_W_VALUE_UP, index, structure->value_dim, structure->kv_latent);
}

/* Reads the matrices for the queries, keys and values of heads. */
static void read_heads(struct table* table, uint32_t index, struct layer* layer)
{
    const struct levee_model_header* shape = &table->model->header;
    uint32_t queries = shape->heads * shape->head_dim;
    uint32_t keys = shape->kv_heads * shape->head_dim;
    layer->query_norm.gain = head_gain(table, LEVEE_TENSOR_NORM_QUERY, index, queries);
    layer->key_norm.gain = head_gain(table, LEVEE_TENSOR_NORM_KEY, index, keys);
    layer->query = biased(table, LEVEE_TENSOR_WQ, LEVEE_TENSOR_BQ, index, queries, shape->dim);
    layer->key = biased(table, LEVEE_TENSOR_WK, LEVEE_TENSOR_BK, index, keys, shape->dim);
    layer->value = biased(table, LEVEE_TENSOR_WV, LEVEE_TENSOR_BV, index, keys, shape->dim);
    layer->qkv = layer->query;
    append(&layer->qkv, &layer->key, "WQ, WK, WV");
    append(&layer->qkv, &layer->value, "WQ, WK, WV");
    find_kept(table, &layer->qkv, LEVEE_TENSOR_WQ, index);
}

static void read_attention(struct table* table, uint32_t index, struct layer* layer)
{
    const struct levee_model_header* shape = &table->model->header;
    layer->attention_norm = norm(table, LEVEE_TENSOR_NORM_ATTENTION, index);
    layer->attention_after = norm(table, LEVEE_TENSOR_NORM_ATTENTION_AFTER, index);
    if (shape->structure.kv_latent != 0)
        read_latent(table, index, layer);
    else
        read_heads(table, index, layer);
    if (shape->version != LEVEE_MODEL_VERSION)
        layer->sinks = vector(table, LEVEE_TENSOR_ATTENTION_SINKS, index, shape->heads);
    layer->output = biased(table, LEVEE_TENSOR_WO, LEVEE_TENSOR_BO, index, shape->dim,
                           shape->heads * model_head_result(table->model));
    find_kept(table, &layer->output, LEVEE_TENSOR_WO, index);
}

/* Reads the matrices of all experts. Each has this many rows. */
static struct matrix experts(struct table* table, uint32_t kind, uint32_t bias_kind, uint32_t index,
                             uint32_t rows, uint32_t cols)
{
    const uint32_t count = table->model->header.structure.experts;
    struct matrix all = biased(table, kind, bias_kind, index, count * rows, cols);
    all.rows = rows;
    all.experts = count;
    find_kept(table, &all, kind, index);
    return all;
}

/* A feed-forward network of one layer, with the width `hidden`. */
struct network {
    struct matrix *up, *down;
    uint32_t hidden;
};

static void read_network(struct table* table, uint32_t index, const struct network* network)
{
    const struct levee_model_header* shape = &table->model->header;
    const bool gated = levee_is_gated(shape->activation);
    struct matrix up =
        biased(table, LEVEE_TENSOR_W_UP, LEVEE_TENSOR_B_UP, index, network->hidden, shape->dim);
    if (gated) {
        *network->up = matrix(table, LEVEE_TENSOR_W_GATE, index, network->hidden, shape->dim);
        append(network->up, &up, "W_GATE, W_UP");
    } else {
        *network->up = up;
    }
    find_kept(table, network->up, gated ? LEVEE_TENSOR_W_GATE : LEVEE_TENSOR_W_UP, index);
    *network->down =
        biased(table, LEVEE_TENSOR_W_DOWN, LEVEE_TENSOR_B_DOWN, index, shape->dim, network->hidden);
    find_kept(table, network->down, LEVEE_TENSOR_W_DOWN, index);
}

/* Reads the shared expert, which processes all tokens. */
static void read_shared(struct table* table, uint32_t index, struct mixture* mixture)
{
    const struct levee_model_header* shape = &table->model->header;
    if (shape->structure.shared_hidden == 0)
        return;
    read_network(table, index,
                 &(struct network){&mixture->shared_up, &mixture->shared_down,
                                   shape->structure.shared_hidden});
    if (find(table, LEVEE_TENSOR_W_SHARED_GATE, index) == NULL)
        return;
    mixture->shared_gate = matrix(table, LEVEE_TENSOR_W_SHARED_GATE, index, 1, shape->dim);
    find_kept(table, &mixture->shared_gate, LEVEE_TENSOR_W_SHARED_GATE, index);
}

static void read_experts(struct table* table, uint32_t index, struct layer* layer)
{
    const struct levee_model_header* shape = &table->model->header;
    const uint32_t count = shape->structure.experts;
    const uint32_t halves = levee_is_gated(shape->activation) ? 2 : 1;
    if (shape->structure.chosen == 0 || shape->structure.chosen > count || count > shape->dim)
        fatal(EXIT_REFUSED,
              "model image: %lu of %lu experts are chosen; expected at least 1 chosen, and at most "
              "%lu experts (the model's dimension)",
              (unsigned long)shape->structure.chosen, (unsigned long)count,
              (unsigned long)shape->dim);
    struct mixture* mixture = heap_take(sizeof *mixture, "the experts of a layer");
    layer->mixture = mixture;
    mixture->router =
        biased(table, LEVEE_TENSOR_W_ROUTER, LEVEE_TENSOR_B_ROUTER, index, count, shape->dim);
    find_kept(table, &mixture->router, LEVEE_TENSOR_W_ROUTER, index);
    mixture->choice_bias = vector(table, LEVEE_TENSOR_ROUTER_CHOICE_BIAS, index, count);
    layer->up = experts(table, LEVEE_TENSOR_W_EXPERTS_UP, LEVEE_TENSOR_B_EXPERTS_UP, index,
                        halves * shape->hidden, shape->dim);
    layer->down = experts(table, LEVEE_TENSOR_W_EXPERTS_DOWN, LEVEE_TENSOR_B_EXPERTS_DOWN, index,
                          shape->dim, shape->hidden);
    read_shared(table, index, mixture);
}

static void read_ffn(struct table* table, uint32_t index, struct layer* layer)
{
    const struct levee_model_header* shape = &table->model->header;
    layer->ffn_norm = norm(table, LEVEE_TENSOR_NORM_FFN, index);
    layer->ffn_after = norm(table, LEVEE_TENSOR_NORM_FFN_AFTER, index);
    if (shape->structure.experts == 0)
        read_network(table, index, &(struct network){&layer->up, &layer->down, shape->hidden});
    else if (layer->flags & LEVEE_LAYER_DENSE)
        read_network(table, index,
                     &(struct network){&layer->up, &layer->down, shape->structure.dense_hidden});
    else
        read_experts(table, index, layer);
}

static void check_norm(const struct model* model, const struct norm* norm)
{
    check_gain(norm);
    if (model->header.norm == LEVEE_NORM_LAYER && norm->bias == 0)
        fatal(EXIT_REFUSED, "model image: the bias of a normalisation is missing");
}

static bool is_parallel(const struct model* model)
{
    return (model->header.structure.flags & LEVEE_STRUCTURE_PARALLEL) != 0;
}

/* Checks that each half of a layer has a norm before it, a norm after it, or both. In a parallel
 * layer, one norm serves both halves. */
static void check_norms(const struct model* model, const struct layer* layer)
{
    const struct norm* before = &layer->attention_norm;
    const struct norm* after = &layer->attention_after;
    if (before->gain != 0 || after->gain == 0)
        check_norm(model, before);
    if (after->gain != 0) {
        check_norm(model, after);
        check_norm(model, &layer->ffn_after);
    }
    if (before->gain != 0 && !is_parallel(model))
        check_norm(model, &layer->ffn_norm);
    if ((layer->query_norm.gain == 0) != (layer->key_norm.gain == 0))
        fatal(EXIT_REFUSED, "model image: queries have a norm and keys have none, or the reverse");
}

static void read_ends(const struct table* table, struct model* model)
{
    const struct levee_model_header* shape = &model->header;
    const uint32_t none = LEVEE_NO_LAYER;
    model->embedding = matrix(table, LEVEE_TENSOR_EMBEDDING, none, shape->vocab, shape->dim);
    model_need_rows(&model->embedding, "the embedding");
    model->classifier = model->embedding;
    if (find(table, LEVEE_TENSOR_CLASSIFIER, none) != NULL)
        model->classifier = matrix(table, LEVEE_TENSOR_CLASSIFIER, none, shape->vocab, shape->dim);
    model->final_norm = norm(table, LEVEE_TENSOR_NORM_FINAL, none);
    check_norm(model, &model->final_norm);
    if (shape->position == LEVEE_POSITION_LEARNED) {
        struct matrix positions =
            matrix(table, LEVEE_TENSOR_POSITION, none, shape->max_context, shape->dim);
        if (positions.type != LEVEE_TYPE_FP32)
            fatal(EXIT_REFUSED, "model image: learned positions of type %s, not FP32",
                  model_type_name(positions.type));
        model->position_table = positions.data;
        model->position_row_bytes = positions.row_bytes;
    }
}

/* Sets the layers' flags: which layers are rotated, and with which phases. Returns the flags of all
 * layers together. */
static uint32_t read_rotation(const struct table* table, struct model* model)
{
    const struct levee_model_header* shape = &model->header;
    const uint32_t none = LEVEE_NO_LAYER;
    uint64_t phase[2] = {0, 0};
    uint32_t all = 0;
    model->rotated = shape->structure.rotated != 0 ? shape->structure.rotated : shape->head_dim;
    if (shape->position != LEVEE_POSITION_LEARNED) {
        phase[0] = matrix(table, LEVEE_TENSOR_ROPE_PHASE, none, 1, model->rotated / 2).data;
        phase[1] = phase[0];
        if (find(table, LEVEE_TENSOR_ROPE_PHASE_LOCAL, none) != NULL)
            phase[1] =
                matrix(table, LEVEE_TENSOR_ROPE_PHASE_LOCAL, none, 1, model->rotated / 2).data;
    }
    const struct levee_tensor_entry* entry = find(table, LEVEE_TENSOR_LAYER_FLAGS, none);
    for (uint32_t i = 0; i < shape->layers; ++i) {
        uint32_t flags = 0;
        if (entry != NULL)
            copy_in(&flags, model->address + entry->data_offset + 4ull * i, sizeof flags,
                    "the layers' flags");
        all |= flags;
        model->layers[i].flags = flags;
        model->layers[i].rope_phase =
            flags & LEVEE_LAYER_UNROTATED ? 0 : phase[(flags & LEVEE_LAYER_LOCAL) != 0];
    }
    return all;
}

static uint32_t properties_of(const struct table* table, uint32_t layer_flags)
{
    const struct model* model = table->model;
    const struct levee_tensor_entry* norm = find(table, LEVEE_TENSOR_NORM_QUERY, 0);
    const struct levee_model_facts facts = {
        .query_norm = norm == NULL ? 0 : norm->cols,
        .layer_flags = layer_flags,
        .norms_after = model->layers[0].attention_after.gain != 0,
        .local_phases = find(table, LEVEE_TENSOR_ROPE_PHASE_LOCAL, LEVEE_NO_LAYER) != NULL,
        .sinks = model->layers[0].sinks != 0,
    };
    return levee_model_properties(&model->header, &facts);
}

static void check_group(const struct levee_model_header* header, bool grouped)
{
    const uint32_t group = header->weight_group;
    const bool possible = group >= LEVEE_MODEL_MIN_GROUP && group <= LEVEE_MODEL_MAX_GROUP &&
                          (group & (group - 1)) == 0;
    const bool either = header->version == LEVEE_MODEL_VERSION_STRUCTURED;
    if (grouped || (either && group != 0) ? !possible : group != 0)
        fatal(
            EXIT_REFUSED,
            "model image: version %lu has groups of %lu weights; expected a power of 2 from %u to "
            "%u in version %u, 0 in others",
            (unsigned long)header->version, (unsigned long)group, LEVEE_MODEL_MIN_GROUP,
            LEVEE_MODEL_MAX_GROUP, LEVEE_MODEL_VERSION_GROUPED);
}

/* Checks the key that all heads share: its rotated part, and the latent vector. */
static void check_latent(const struct levee_model_header* header)
{
    const struct levee_model_structure* structure = &header->structure;
    if (structure->kv_latent == 0)
        return;
    if (header->kv_heads != 1 || structure->rotated == 0 || structure->nope_dim == 0 ||
        structure->value_dim == 0 || header->head_dim != structure->rotated + structure->kv_latent)
        fatal(EXIT_REFUSED,
              "model image: latent keys have %lu elements, of which %lu are rotated and %lu "
              "latent, and %lu heads; expected the sum of the two numbers, and 1 head",
              (unsigned long)header->head_dim, (unsigned long)structure->rotated,
              (unsigned long)structure->kv_latent, (unsigned long)header->kv_heads);
}

static void check_header(const struct levee_model_header* header)
{
    const bool grouped = header->version == LEVEE_MODEL_VERSION_GROUPED;
    const bool known = header->version == LEVEE_MODEL_VERSION ||
                       header->version == LEVEE_MODEL_VERSION_KEPT || grouped ||
                       header->version == LEVEE_MODEL_VERSION_STRUCTURED;
    if (header->magic != LEVEE_MODEL_MAGIC || !known || header->header_bytes != sizeof *header)
        fatal(EXIT_REFUSED, "model image: magic %08lx, version %lu; expected %08x, %u to %u",
              (unsigned long)header->magic, (unsigned long)header->version, LEVEE_MODEL_MAGIC,
              LEVEE_MODEL_VERSION, LEVEE_MODEL_VERSION_STRUCTURED);
    check_group(header, grouped);
    check_latent(header);
    if (header->heads == 0 || header->kv_heads == 0 || header->heads % header->kv_heads != 0 ||
        header->head_dim == 0 || header->head_dim % 2 != 0 || header->layers == 0 ||
        header->dim == 0 || header->hidden == 0 || header->vocab == 0)
        fatal(EXIT_REFUSED,
              "model image: dim %lu, hidden %lu, %lu layers, %lu heads of %lu over %lu, vocab %lu: "
              "none may be 0, heads must be a multiple of key/value heads, their size even",
              (unsigned long)header->dim, (unsigned long)header->hidden,
              (unsigned long)header->layers, (unsigned long)header->heads,
              (unsigned long)header->head_dim, (unsigned long)header->kv_heads,
              (unsigned long)header->vocab);
    if (header->norm - 1 > LEVEE_NORM_LAYER - 1 ||
        header->activation - 1 > LEVEE_ACTIVATION_END - 2 ||
        header->position - 1 > LEVEE_POSITION_LEARNED - 1)
        fatal(EXIT_REFUSED, "model image: norm %lu, activation %lu or position %lu is unknown",
              (unsigned long)header->norm, (unsigned long)header->activation,
              (unsigned long)header->position);
}

void model_open(struct model* model, uint64_t address)
{
    struct levee_model_header* header = &model->header;
    model->address = address;
    copy_in(header, address, sizeof *header, "model image");
    check_header(header);

    struct table table = {.model = model};
    read_table(&table);
    read_ends(&table, model);
    model->layers = heap_take(header->layers * sizeof *model->layers, "the layers");
    const uint32_t flags = read_rotation(&table, model);
    for (uint32_t i = 0; i < header->layers; ++i) {
        read_attention(&table, i, &model->layers[i]);
        read_ffn(&table, i, &model->layers[i]);
        check_norms(model, &model->layers[i]);
    }
    model->properties = properties_of(&table, flags);
}

static uint64_t bytes_of(const struct matrix* matrix)
{
    const uint32_t count = matrix->heads != 0 ? matrix->heads : 1;
    return (uint64_t)count * (matrix->columns_first ? matrix->cols : matrix->rows) *
           matrix->row_bytes;
}

const char* model_type_name(uint32_t type)
{
    static const char* const names[] = {LEVEE_TYPE_NAMES};
    return type < sizeof names / sizeof *names ? names[type] : "unknown";
}

void model_need_rows(const struct matrix* matrix, const char* what)
{
    if (matrix->columns_first)
        fatal(EXIT_REFUSED,
              "model image: the matrices of %s are stored columns first (model.columns_first); "
              "scheduler %s reads them row by row",
              what, system_scheduler());
}

void model_need_codes(const struct matrix* matrix, const char* what)
{
    model_need_rows(matrix, what);
    if (matrix->type != LEVEE_TYPE_INT8 && matrix->type != LEVEE_TYPE_INT4 &&
        matrix->type != LEVEE_TYPE_INT3)
        fatal(EXIT_REFUSED,
              "model image: %s has weights of type %s; the array supports INT8, INT4 and INT3",
              what, model_type_name(matrix->type));
    if (matrix->scale == 0)
        fatal(EXIT_REFUSED,
              "model image: the weights of %s have no scales; expected scales with weights of type "
              "%s",
              what, model_type_name(matrix->type));
}

static uint64_t bytes_of_attention(const struct layer* layer)
{
    const struct latent* latent = layer->latent;
    if (latent == NULL)
        return bytes_of(&layer->qkv) + bytes_of(&layer->output);
    return bytes_of(&layer->query) + bytes_of(&layer->key) + bytes_of(&latent->query) +
           bytes_of(&latent->key_up) + bytes_of(&latent->value_up) + bytes_of(&layer->output);
}

/* Returns the bytes of the matrices in a mixture that every token reads. */
static uint64_t bytes_of_mixture(const struct mixture* mixture)
{
    return bytes_of(&mixture->router) + bytes_of(&mixture->shared_up) +
           bytes_of(&mixture->shared_down) + bytes_of(&mixture->shared_gate);
}

void model_report(const struct model* model)
{
    uint64_t step = bytes_of(&model->classifier), others = 0;
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        const uint64_t network = bytes_of(&layer->up) + bytes_of(&layer->down);
        const uint32_t taken = matrix_branches(model, &layer->up);
        step += bytes_of_attention(layer) + network * taken;
        if (layer->mixture != NULL)
            step += bytes_of_mixture(layer->mixture);
        others += layer->up.experts != 0 ? network * (layer->up.experts - taken) : 0;
    }
    const bool tied = model->classifier.data == model->embedding.data;
    hostlink_metric_u64("model.weight_bytes",
                        step + others + (tied ? 0 : bytes_of(&model->embedding)));
    hostlink_metric_u64("model.step_weight_bytes", step);
}
