// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/extent.h"

#include "firmware/hal/system.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct load load_of_both(const struct load* a, const struct load* b)
{
    return (struct load){
        .tokens = larger(a->tokens, b->tokens),
        .kv_rows = larger(a->kv_rows, b->kv_rows),
        .staged = larger(a->staged, b->staged),
        .staged_bits = a->staged_bits > b->staged_bits ? a->staged_bits : b->staged_bits,
        .queries = larger(a->queries, b->queries),
        .scores = larger(a->scores, b->scores),
        .activated = larger(a->activated, b->activated),
        .logits = larger(a->logits, b->logits),
        .separate = a->separate || b->separate,
    };
}

/* The number of vectors, and the number of elements in all of them together. Each vector also has
 * the additional data of the value's format, such as a scale. */
struct shape {
    uint64_t vectors, elements;
};

static struct shape vectors_of(uint64_t vectors, uint64_t elements)
{
    return (struct shape){vectors, vectors * elements};
}

static struct shape largest(struct shape a, struct shape b)
{
    return (struct shape){larger(a.vectors, b.vectors), larger(a.elements, b.elements)};
}

/* Returns the shapes of values that only the products of latent attention use. */
static struct shape shape_of_latent(const struct model* model, const struct load* load,
                                    unsigned value)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t heads = load->tokens * shape->heads;
    switch (value) {
    case VALUE_QKV:
        return vectors_of(heads, shape->head_dim);
    case VALUE_RAW_QUERY:
        return vectors_of(heads, model_raw_query(model));
    case VALUE_RAW_KEYS:
        return vectors_of(load->kv_rows, shape->head_dim);
    case VALUE_RAW_VALUES:
        return vectors_of(heads, shape->structure.value_dim);
    case VALUE_PROJECTED: /* At another time it holds the vector from which queries are computed. */
        return vectors_of(load->tokens, larger(shape->dim, shape->structure.query_latent));
    default: /* ATTENDED */
        return largest(largest(vectors_of(heads, shape->structure.nope_dim),
                               vectors_of(heads, shape->structure.value_dim)),
                       largest(vectors_of(heads, shape->structure.kv_latent),
                               vectors_of(load->tokens, shape->structure.query_latent)));
    }
}

static bool is_of_latent(const struct model* model, unsigned value)
{
    const uint32_t own = VALUE_BIT(VALUE_QKV) | VALUE_BIT(VALUE_RAW_QUERY) |
                         VALUE_BIT(VALUE_RAW_KEYS) | VALUE_BIT(VALUE_RAW_VALUES) |
                         VALUE_BIT(VALUE_PROJECTED) | VALUE_BIT(VALUE_ATTENDED);
    return (model->properties & MODEL_LATENT) && (own & VALUE_BIT(value));
}

/* Shapes for separate products of Q, K and V. */
static struct shape shape_of_own_products(const struct levee_model_header* shape,
                                          const struct load* load, unsigned value)
{
    const uint64_t kv = (uint64_t)shape->kv_heads * shape->head_dim;
    switch (value) {
    case VALUE_RAW_QUERY:
        return vectors_of(load->tokens, shape->heads * shape->head_dim);
    case VALUE_RAW_KEYS:
    case VALUE_RAW_VALUES:
        return vectors_of(load->kv_rows, kv);
    case VALUE_STAGED_KEYS: /* codes of keys and values, with as many bits as in the cache */
    case VALUE_STAGED_VALUES:
        return vectors_of(load->staged, kv * load->staged_bits / SYSTEM_KV_BITS);
    default:
        return (struct shape){0, 0};
    }
}

/* Returns the shape of the results of a feed-forward matrix. The results of experts overwrite their
 * gates and ups. */
static struct shape shape_expanded(const struct model* model, const struct matrix* up,
                                   uint64_t tokens)
{
    const uint64_t width = up->experts != 0 ? larger(up->rows, model->header.dim) : up->rows;
    return vectors_of(tokens * matrix_branches(model, up), width);
}

static struct shape shape_activated(const struct model* model, const struct matrix* up,
                                    uint64_t tokens)
{
    return vectors_of(tokens * matrix_branches(model, up), matrix_activated(model, up));
}

/* Returns the largest shape among the networks of all layers. */
static struct shape largest_network(const struct model* model, uint64_t tokens,
                                    struct shape (*shape)(const struct model*, const struct matrix*,
                                                          uint64_t))
{
    struct shape all = {0, 0};
    for (uint32_t i = 0; i < model->header.layers; ++i) {
        const struct layer* layer = &model->layers[i];
        all = largest(all, shape(model, &layer->up, tokens));
        if (layer->mixture != NULL)
            all = largest(all, shape(model, &layer->mixture->shared_up, tokens));
    }
    return all;
}

static uint64_t choice_words(const struct model* model, uint64_t tokens)
{
    const struct levee_model_structure* structure = &model->header.structure;
    const uint64_t chosen = tokens * structure->chosen;
    return structure->experts != 0
               ? lower_gates(model, tokens) + lower_choices(model, chosen) + 2 * chosen
               : 0;
}

static struct shape shape_of(const struct model* model, const struct load* load, unsigned value)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t heads = load->tokens * shape->heads;
    const bool mixes =
        (model->properties & MODEL_EXPERTS) != 0; /* without experts, all layers are alike */
    if (is_of_latent(model, value))
        return shape_of_latent(model, load, value);
    switch (value) {
    case VALUE_X:
    case VALUE_PROJECTED:
        return vectors_of(load->tokens, shape->dim);
    case VALUE_NORMED:
        return vectors_of(load->kv_rows, shape->dim);
    case VALUE_QUERY:
        return vectors_of(load->queries * shape->heads, shape->head_dim);
    case VALUE_MIXED:
        return vectors_of(heads, model_cached_value(model));
    case VALUE_SCORES:
    case VALUE_PROBABILITIES:
        return (struct shape){load->scores != 0 ? heads : 0, shape->heads * load->scores};
    case VALUE_ATTENDED:
        return vectors_of(load->tokens, shape->heads * shape->head_dim);
    case VALUE_EXPANDED:
        return mixes ? largest_network(model, load->tokens, shape_expanded)
                     : vectors_of(load->tokens, model->layers[0].up.rows);
    case VALUE_ACTIVATED:
        return mixes ? largest_network(model, load->activated, shape_activated)
                     : vectors_of(load->activated, shape->hidden);
    case VALUE_CHOICE:
        return (struct shape){0, choice_words(model, load->tokens)};
    case VALUE_LOGITS:
        return vectors_of(load->logits, shape->vocab);
    case VALUE_QKV:
        return vectors_of(load->separate ? 0 : load->tokens, model->layers[0].qkv.rows);
    default:
        return load->separate ? shape_of_own_products(shape, load, value) : (struct shape){0, 0};
    }
}

struct extent extent_of(const struct model* model, const struct load* load, unsigned value,
                        const struct value_format* format)
{
    const struct shape shape = shape_of(model, load, value);
    return (struct extent){shape.elements * format->bytes, shape.vectors * format->beside};
}
