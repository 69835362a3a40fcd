// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/transformer.h"

#include <stddef.h>

static void put(struct operation_list* list, uint32_t layer, struct operation operation)
{
    operation.layer = layer;
    operation_append(list, &operation);
}

/* From `in` to `out` by `kind`. */
static void put_simple(struct operation_list* list, uint32_t layer, enum operation_kind kind,
                       enum value in, enum value out)
{
    put(list, layer, (struct operation){.kind = (uint8_t)kind, .reads = {in}, .writes = out});
}

static void put_linear(struct operation_list* list, uint32_t layer, enum value in,
                       const struct matrix* matrix, enum value out)
{
    put(list, layer,
        (struct operation){
            .kind = OPERATION_LINEAR, .reads = {in}, .writes = out, .matrix = matrix});
}

/* NORMED of X: as it is, where there is no norm. */
static void put_norm(struct operation_list* list, uint32_t layer, const struct norm* norm)
{
    put(list, layer,
        (struct operation){
            .kind = OPERATION_NORM, .reads = {VALUE_X}, .writes = VALUE_NORMED, .norm = norm});
}

static void put_norm_in_place(struct operation_list* list, uint32_t layer, const struct norm* norm,
                              enum value value)
{
    put(list, layer,
        (struct operation){
            .kind = OPERATION_NORM, .reads = {value}, .writes = value, .norm = norm});
}

/* The norm of what a half adds to X. */
static void put_norm_after(struct operation_list* list, uint32_t layer, const struct norm* norm)
{
    if (norm->gain != 0)
        put_norm_in_place(list, layer, norm, VALUE_PROJECTED);
}

/* A norm over all heads together, in their place; a norm by head is part of QUERY and STORE_KEY. */
static void put_head_norm(const struct model* model, uint32_t layer, const struct norm* norm,
                          enum value raw, struct operation_list* list)
{
    if (model->properties & MODEL_ALL_HEAD_NORMS)
        put_norm_in_place(list, layer, norm, raw);
}

/* X plus PROJECTED. */
static void put_add(struct operation_list* list, uint32_t layer)
{
    put(list, layer,
        (struct operation){
            .kind = OPERATION_ADD, .reads = {VALUE_X, VALUE_PROJECTED}, .writes = VALUE_X});
}

void transformer_begin(struct operation_list* list)
{
    put_simple(list, LEVEE_NO_LAYER, OPERATION_EMBED, VALUE_NONE, VALUE_X);
}

static void put_projections(const struct model* model, uint32_t layer, bool separate,
                            struct operation_list* list)
{
    const struct layer* weights = &model->layers[layer];
    const enum value query = separate ? VALUE_RAW_QUERY : VALUE_QKV;
    const enum value keys = separate ? VALUE_RAW_KEYS : VALUE_QKV;
    const enum value values = separate ? VALUE_RAW_VALUES : VALUE_QKV;
    put_linear(list, layer, VALUE_NORMED, separate ? &weights->query : &weights->qkv, query);
    put_head_norm(model, layer, &weights->query_norm, query, list);
    if (!separate) /* before QUERY, as tiles begin with that, and it changes what QUERY reads */
        put_head_norm(model, layer, &weights->key_norm, keys, list);
    put_simple(list, layer, OPERATION_QUERY, query, VALUE_QUERY);
    if (separate) {
        put_linear(list, layer, VALUE_NORMED, &weights->key, keys);
        put_head_norm(model, layer, &weights->key_norm, keys, list);
    }
    put_simple(list, layer, OPERATION_STORE_KEY, keys, VALUE_KEYS);
    if (separate)
        put_linear(list, layer, VALUE_NORMED, &weights->value, values);
    put_simple(list, layer, OPERATION_STORE_VALUE, values, VALUE_VALUES);
}

void transformer_attention(const struct model* model, uint32_t layer, bool separate,
                           struct operation_list* list)
{
    const struct layer* weights = &model->layers[layer];
    put_norm(list, layer, &weights->attention_norm);
    put_projections(model, layer, separate, list);
    put(list, layer,
        (struct operation){
            .kind = OPERATION_SCORES, .reads = {VALUE_QUERY, VALUE_KEYS}, .writes = VALUE_SCORES});
    put(list, layer,
        (struct operation){.kind = OPERATION_SOFTMAX,
                           .reads = {VALUE_SCORES, VALUE_VALUES},
                           .writes = VALUE_PROBABILITIES});
    put(list, layer,
        (struct operation){.kind = OPERATION_MIX,
                           .reads = {VALUE_PROBABILITIES, VALUE_VALUES},
                           .writes = VALUE_MIXED});
    put_simple(list, layer, OPERATION_QUANTISE, VALUE_MIXED, VALUE_ATTENDED);
    put_linear(list, layer, VALUE_ATTENDED, &weights->output, VALUE_PROJECTED);
    put_norm_after(list, layer, &weights->attention_after);
    put_add(list, layer);
}

/* A product with a matrix of the expert that each vector goes through. */
static void put_experts(struct operation_list* list, uint32_t layer, enum value in,
                        const struct matrix* matrix)
{
    put(list, layer,
        (struct operation){.kind = OPERATION_LINEAR,
                           .reads = {in, VALUE_CHOICE},
                           .writes = VALUE_EXPANDED,
                           .matrix = matrix});
}

/* NORMED through the experts that a router chooses, to PROJECTED. */
static void put_mixture(struct operation_list* list, uint32_t layer, const struct layer* weights)
{
    put_linear(list, layer, VALUE_NORMED, &weights->router, VALUE_PROJECTED);
    put_simple(list, layer, OPERATION_ROUTE, VALUE_PROJECTED, VALUE_CHOICE);
    put_experts(list, layer, VALUE_NORMED, &weights->up);
    put_simple(list, layer, OPERATION_ACTIVATE, VALUE_EXPANDED, VALUE_ACTIVATED);
    put_experts(list, layer, VALUE_ACTIVATED, &weights->down);
    put(list, layer,
        (struct operation){.kind = OPERATION_COMBINE,
                           .reads = {VALUE_EXPANDED, VALUE_CHOICE},
                           .writes = VALUE_PROJECTED});
}

void transformer_feed_forward(const struct model* model, uint32_t layer,
                              struct operation_list* list)
{
    const struct layer* weights = &model->layers[layer];
    if (!(model->properties & MODEL_PARALLEL)) /* else NORMED is still attention's */
        put_norm(list, layer, &weights->ffn_norm);
    if (model->properties & MODEL_EXPERTS) {
        put_mixture(list, layer, weights);
    } else {
        put_linear(list, layer, VALUE_NORMED, &weights->up, VALUE_EXPANDED);
        put_simple(list, layer, OPERATION_ACTIVATE, VALUE_EXPANDED, VALUE_ACTIVATED);
        put_linear(list, layer, VALUE_ACTIVATED, &weights->down, VALUE_PROJECTED);
    }
    put_norm_after(list, layer, &weights->ffn_after);
    put_add(list, layer);
}

void transformer_end(const struct model* model, struct operation_list* list)
{
    const uint32_t first = list->count;
    put_norm(list, LEVEE_NO_LAYER, &model->final_norm);
    put_linear(list, LEVEE_NO_LAYER, VALUE_NORMED, &model->classifier, VALUE_LOGITS);
    put_simple(list, LEVEE_NO_LAYER, OPERATION_PICK, VALUE_LOGITS, VALUE_PICKS);
    for (uint32_t i = first; i < list->count; ++i)
        list->operations[i].on_logit_rows = 1;
}
