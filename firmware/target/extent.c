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

/* Vectors, each with what the format has beside it, and elements in all. */
struct shape {
    uint64_t vectors, elements;
};

static struct shape vectors_of(uint64_t vectors, uint64_t elements)
{
    return (struct shape){vectors, vectors * elements};
}

/* Where Q, K and V are products of their own. */
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
    case VALUE_STAGED_KEYS: /* codes of as many bits as the cache's */
    case VALUE_STAGED_VALUES:
        return vectors_of(load->staged, kv * load->staged_bits / SYSTEM_KV_BITS);
    default:
        return (struct shape){0, 0};
    }
}

/* Experts' results lie where their gates and ups did. */
static uint64_t expanded_width(const struct model* model)
{
    const uint64_t width = model->layers[0].up.rows;
    return model->properties & MODEL_EXPERTS ? larger(width, model->header.dim) : width;
}

static uint64_t choice_words(const struct model* model, uint64_t tokens)
{
    const uint64_t chosen = tokens * model_branches(model);
    return model->properties & MODEL_EXPERTS ? lower_choices(model, chosen) + 2 * chosen : 0;
}

static struct shape shape_of(const struct model* model, const struct load* load, unsigned value)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t heads = load->tokens * shape->heads;
    switch (value) {
    case VALUE_X:
    case VALUE_PROJECTED:
        return vectors_of(load->tokens, shape->dim);
    case VALUE_NORMED:
        return vectors_of(load->kv_rows, shape->dim);
    case VALUE_QUERY:
        return vectors_of(load->queries * shape->heads, shape->head_dim);
    case VALUE_MIXED:
        return vectors_of(heads, shape->head_dim);
    case VALUE_SCORES:
    case VALUE_PROBABILITIES:
        return (struct shape){load->scores != 0 ? heads : 0, shape->heads * load->scores};
    case VALUE_ATTENDED:
        return vectors_of(load->tokens, shape->heads * shape->head_dim);
    case VALUE_EXPANDED:
        return vectors_of(load->tokens * model_branches(model), expanded_width(model));
    case VALUE_ACTIVATED:
        return vectors_of(load->activated * model_branches(model), shape->hidden);
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
