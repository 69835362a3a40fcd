// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/extent.h"

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct load load_of_both(const struct load* a, const struct load* b)
{
    return (struct load){
        .tokens = larger(a->tokens, b->tokens),
        .kv_rows = larger(a->kv_rows, b->kv_rows),
        .beside = larger(a->beside, b->beside),
        .scores = larger(a->scores, b->scores),
        .logits = larger(a->logits, b->logits),
        .separate = a->separate || b->separate,
    };
}

static struct extent extent_of_own_products(const struct levee_model_header* shape,
                                            const struct load* load, enum value value)
{
    const uint64_t kv = (uint64_t)shape->kv_heads * shape->head_dim;
    switch (value) {
    case VALUE_RAW_QUERY:
        return (struct extent){4 * load->tokens * shape->heads * shape->head_dim, 0};
    case VALUE_RAW_KEYS:
    case VALUE_RAW_VALUES:
        return (struct extent){4 * load->kv_rows * kv, 0};
    case VALUE_NEW_KEYS:
    case VALUE_NEW_VALUES:
        return (struct extent){2 * load->beside * kv, 0};
    default:
        return (struct extent){0, 0};
    }
}

struct extent extent_of(const struct model* model, const struct load* load, enum value value)
{
    const struct levee_model_header* shape = &model->header;
    const uint64_t heads = load->tokens * shape->heads;
    switch (value) {
    case VALUE_X:
    case VALUE_PROJECTED:
        return (struct extent){4 * load->tokens * shape->dim, 0};
    case VALUE_NORMED:
        return (struct extent){2 * load->kv_rows * shape->dim, 4 * load->kv_rows};
    case VALUE_QUERY:
        return (struct extent){2 * heads * shape->head_dim, 4 * heads};
    case VALUE_SCORES:
        return (struct extent){4 * shape->heads * load->scores, 0};
    case VALUE_PROBABILITIES:
        return (struct extent){2 * shape->heads * load->scores, 4 * heads};
    case VALUE_MIXED:
        return (struct extent){4 * heads * shape->head_dim, 0};
    case VALUE_ATTENDED:
        return (struct extent){2 * heads * shape->head_dim, 4 * load->tokens};
    case VALUE_EXPANDED:
        return (struct extent){4 * load->tokens * model->layers[0].up.rows, 0};
    case VALUE_ACTIVATED:
        return (struct extent){2 * load->tokens * shape->hidden, 4 * load->tokens};
    case VALUE_LOGITS:
        return (struct extent){4 * load->logits * shape->vocab, 0};
    case VALUE_QKV:
        return (struct extent){load->separate ? 0 : 4 * load->tokens * model->layers[0].qkv.rows,
                               0};
    default:
        return load->separate ? extent_of_own_products(shape, load, value) : (struct extent){0, 0};
    }
}
