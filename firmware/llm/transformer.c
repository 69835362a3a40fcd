#include "firmware/llm/transformer.h"

size_t transformer_begin(const struct model* model, struct operation* list)
{
    (void)model;
    list[0] =
        (struct operation){.kind = OPERATION_EMBED, .writes = VALUE_X, .layer = LEVEE_NO_LAYER};
    return 1;
}

size_t transformer_layer(const struct model* model, uint32_t layer, struct operation* list)
{
    const struct layer* weights = &model->layers[layer];
    const struct operation program[] = {
        {.kind = OPERATION_NORM,
         .reads = {VALUE_X},
         .writes = VALUE_NORMED,
         .norm = &weights->attention_norm},
        {.kind = OPERATION_LINEAR,
         .reads = {VALUE_NORMED},
         .writes = VALUE_QKV,
         .matrix = &weights->qkv},
        {.kind = OPERATION_QUERY, .reads = {VALUE_QKV}, .writes = VALUE_QUERY},
        {.kind = OPERATION_STORE_KEY, .reads = {VALUE_QKV}, .writes = VALUE_KEYS},
        {.kind = OPERATION_STORE_VALUE, .reads = {VALUE_QKV}, .writes = VALUE_VALUES},
        {.kind = OPERATION_SCORES, .reads = {VALUE_QUERY, VALUE_KEYS}, .writes = VALUE_SCORES},
        {.kind = OPERATION_SOFTMAX,
         .reads = {VALUE_SCORES, VALUE_VALUES},
         .writes = VALUE_PROBABILITIES},
        {.kind = OPERATION_MIX,
         .reads = {VALUE_PROBABILITIES, VALUE_VALUES},
         .writes = VALUE_MIXED},
        {.kind = OPERATION_QUANTISE, .reads = {VALUE_MIXED}, .writes = VALUE_ATTENDED},
        {.kind = OPERATION_LINEAR,
         .reads = {VALUE_ATTENDED},
         .writes = VALUE_PROJECTED,
         .matrix = &weights->output},
        {.kind = OPERATION_ADD, .reads = {VALUE_X, VALUE_PROJECTED}, .writes = VALUE_X},
        {.kind = OPERATION_NORM,
         .reads = {VALUE_X},
         .writes = VALUE_NORMED,
         .norm = &weights->ffn_norm},
        {.kind = OPERATION_LINEAR,
         .reads = {VALUE_NORMED},
         .writes = VALUE_EXPANDED,
         .matrix = &weights->up},
        {.kind = OPERATION_ACTIVATE, .reads = {VALUE_EXPANDED}, .writes = VALUE_ACTIVATED},
        {.kind = OPERATION_LINEAR,
         .reads = {VALUE_ACTIVATED},
         .writes = VALUE_PROJECTED,
         .matrix = &weights->down},
        {.kind = OPERATION_ADD, .reads = {VALUE_X, VALUE_PROJECTED}, .writes = VALUE_X},
    };
    const size_t count = sizeof program / sizeof *program;
    _Static_assert(sizeof program / sizeof *program <= TRANSFORMER_MAX_OPERATIONS, "list size");
    for (size_t i = 0; i < count; ++i) {
        list[i] = program[i];
        list[i].layer = layer;
    }
    return count;
}

size_t transformer_end(const struct model* model, struct operation* list)
{
    list[0] =
        (struct operation){OPERATION_NORM, {VALUE_X}, VALUE_NORMED, .norm = &model->final_norm};
    list[1] = (struct operation){
        OPERATION_LINEAR, {VALUE_NORMED}, VALUE_LOGITS, .matrix = &model->classifier};
    list[2] =
        (struct operation){.kind = OPERATION_PICK, .reads = {VALUE_LOGITS}, .writes = VALUE_PICKS};
    for (size_t i = 0; i < 3; ++i) {
        list[i].layer = LEVEE_NO_LAYER;
        list[i].on_logit_rows = 1;
    }
    return 3;
}
