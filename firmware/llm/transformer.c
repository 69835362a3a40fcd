// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/transformer.h"

#include <stddef.h>

static void put(struct operation_list* list, uint32_t layer, struct operation operation)
{
    operation.layer = layer;
    operation_append(list, &operation);
}

/* Appends an operation of this kind that reads `in` and writes `out`. */
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

/* Appends the norm of X, with its result in NORMED. If the model has no such norm, NORMED becomes a
 * copy of X. */
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

/* Appends the norm of an output of attention or of the network. It is applied before the output is
 * added to X. */
static void put_norm_after(struct operation_list* list, uint32_t layer, const struct norm* norm)
{
    if (norm->gain != 0)
        put_norm_in_place(list, layer, norm, VALUE_PROJECTED);
}

/* Appends a conversion of values to another format. */
static void put_quantise(struct operation_list* list, uint32_t layer, enum value in, enum value out)
{
    put_simple(list, layer, OPERATION_QUANTISE, in, out);
}

/* Appends an in-place norm over all heads together. Norms over single heads are part of QUERY
 * and STORE_KEY. */
static void put_head_norm(const struct model* model, uint32_t layer, const struct norm* norm,
                          enum value raw, struct operation_list* list)
{
    if (model->properties & MODEL_ALL_HEAD_NORMS)
        put_norm_in_place(list, layer, norm, raw);
}

/* Appends the sum X + PROJECTED. */
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
    if (!separate) /* A tile begins with QUERY, whose input this norm changes, so the norm comes
                    * first. */
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

/* Appends the projections of latent attention. Keys come first, because in a tiled prefill the
 * vector for queries overwrites NORMED. QKV has the space of one key for each head's query. The
 * query's rotated part is copied there, and a matrix of the head computes the rest. */
static void put_latent_projections(uint32_t layer, const struct layer* weights,
                                   struct operation_list* list)
{
    const struct latent* latent = weights->latent;
    const bool made = latent->query.rows != 0;
    put_linear(list, layer, VALUE_NORMED, &weights->key, VALUE_RAW_KEYS);
    put_norm_in_place(list, layer, &latent->norm, VALUE_RAW_KEYS);
    if (made) {
        put_linear(list, layer, VALUE_NORMED, &latent->query, VALUE_PROJECTED);
        put(list, layer,
            (struct operation){.kind = OPERATION_NORM,
                               .reads = {VALUE_PROJECTED},
                               .writes = VALUE_ATTENDED,
                               .norm = &latent->query_norm});
    }
    put_linear(list, layer, made ? VALUE_ATTENDED : VALUE_NORMED, &weights->query, VALUE_RAW_QUERY);
    put_quantise(list, layer, VALUE_RAW_QUERY, VALUE_ATTENDED);
    put_linear(list, layer, VALUE_ATTENDED, &latent->key_up, VALUE_QKV);
    put_quantise(list, layer, VALUE_RAW_QUERY, VALUE_QKV);
    put_simple(list, layer, OPERATION_QUERY, VALUE_QKV, VALUE_QUERY);
    put_simple(list, layer, OPERATION_STORE_KEY, VALUE_RAW_KEYS, VALUE_KEYS);
}

/* Appends the products that convert each head's latent results to its final results. */
static void put_latent_results(uint32_t layer, const struct latent* latent,
                               struct operation_list* list)
{
    put_quantise(list, layer, VALUE_MIXED, VALUE_ATTENDED);
    put_linear(list, layer, VALUE_ATTENDED, &latent->value_up, VALUE_RAW_VALUES);
    put_quantise(list, layer, VALUE_RAW_VALUES, VALUE_ATTENDED);
}

void transformer_attention(const struct model* model, uint32_t layer, bool separate,
                           struct operation_list* list)
{
    const struct layer* weights = &model->layers[layer];
    const enum value values = weights->latent != NULL ? VALUE_KEYS : VALUE_VALUES;
    put_norm(list, layer, &weights->attention_norm);
    if (weights->latent != NULL)
        put_latent_projections(layer, weights, list);
    else
        put_projections(model, layer, separate, list);
    put(list, layer,
        (struct operation){
            .kind = OPERATION_SCORES, .reads = {VALUE_QUERY, VALUE_KEYS}, .writes = VALUE_SCORES});
    put(list, layer,
        (struct operation){.kind = OPERATION_SOFTMAX,
                           .reads = {VALUE_SCORES, values},
                           .writes = VALUE_PROBABILITIES});
    put(list, layer,
        (struct operation){
            .kind = OPERATION_MIX, .reads = {VALUE_PROBABILITIES, values}, .writes = VALUE_MIXED});
    if (weights->latent != NULL)
        put_latent_results(layer, weights->latent, list);
    else
        put_quantise(list, layer, VALUE_MIXED, VALUE_ATTENDED);
    put_linear(list, layer, VALUE_ATTENDED, &weights->output, VALUE_PROJECTED);
    put_norm_after(list, layer, &weights->attention_after);
    put_add(list, layer);
}

/* Appends a product in which each vector is multiplied by its expert's matrix. */
static void put_experts(struct operation_list* list, uint32_t layer, enum value in,
                        const struct matrix* matrix)
{
    put(list, layer,
        (struct operation){.kind = OPERATION_LINEAR,
                           .reads = {in, VALUE_CHOICE},
                           .writes = VALUE_EXPANDED,
                           .matrix = matrix});
}

/* Appends the activation of a matrix's results. */
static void put_activate(struct operation_list* list, uint32_t layer, const struct matrix* matrix)
{
    put(list, layer,
        (struct operation){.kind = OPERATION_ACTIVATE,
                           .reads = {VALUE_EXPANDED},
                           .writes = VALUE_ACTIVATED,
                           .matrix = matrix});
}

/* Appends a feed-forward network from NORMED to PROJECTED. */
static void put_network(struct operation_list* list, uint32_t layer, const struct matrix* up,
                        const struct matrix* down)
{
    put_linear(list, layer, VALUE_NORMED, up, VALUE_EXPANDED);
    put_activate(list, layer, up);
    put_linear(list, layer, VALUE_ACTIVATED, down, VALUE_PROJECTED);
}

/* Appends a mixture of experts from NORMED to PROJECTED. A router chooses the experts. The shared
 * expert comes first: its result stays in PROJECTED until the results of all experts are summed. */
static void put_mixture(struct operation_list* list, uint32_t layer, const struct layer* weights)
{
    const struct mixture* mixture = weights->mixture;
    const bool shared = mixture->shared_up.rows != 0;
    put_linear(list, layer, VALUE_NORMED, &mixture->router, VALUE_PROJECTED);
    put_simple(list, layer, OPERATION_ROUTE, VALUE_PROJECTED, VALUE_CHOICE);
    if (mixture->shared_gate.rows != 0)
        put_linear(list, layer, VALUE_NORMED, &mixture->shared_gate, VALUE_CHOICE);
    if (shared)
        put_network(list, layer, &mixture->shared_up, &mixture->shared_down);
    put_experts(list, layer, VALUE_NORMED, &weights->up);
    put_activate(list, layer, &weights->up);
    put_experts(list, layer, VALUE_ACTIVATED, &weights->down);
    put(list, layer,
        (struct operation){.kind = OPERATION_COMBINE,
                           .reads = {VALUE_EXPANDED, VALUE_CHOICE},
                           .also_reads = shared ? VALUE_BIT(VALUE_PROJECTED) : 0,
                           .writes = VALUE_PROJECTED});
}

void transformer_feed_forward(const struct model* model, uint32_t layer,
                              struct operation_list* list)
{
    const struct layer* weights = &model->layers[layer];
    if (!(model->properties &
          MODEL_PARALLEL)) /* in a parallel layer NORMED is still the input of attention */
        put_norm(list, layer, &weights->ffn_norm);
    if (weights->mixture != NULL)
        put_mixture(list, layer, weights);
    else
        put_network(list, layer, &weights->up, &weights->down);
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
