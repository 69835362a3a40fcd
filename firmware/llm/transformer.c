// SPDX-License-Identifier: Apache-2.0
#include "firmware/llm/transformer.h"

#include "ip/systolic_evictor/regs.h"

/* A list in the making. */
struct writer {
    struct operation* list;
    size_t count;
    uint32_t layer;
};

static void put(struct writer* writer, struct operation operation)
{
    operation.layer = writer->layer;
    writer->list[writer->count++] = operation;
}

/* From `in` to `out` by `kind`. */
static void put_simple(struct writer* writer, uint8_t kind, enum value in, enum value out)
{
    put(writer, (struct operation){.kind = kind, .reads = {in}, .writes = out});
}

static void put_linear(struct writer* writer, enum value in, const struct matrix* matrix,
                       enum value out)
{
    put(writer, (struct operation){
                    .kind = OPERATION_LINEAR, .reads = {in}, .writes = out, .matrix = matrix});
}

size_t transformer_begin(const struct model* model, struct operation* list)
{
    (void)model;
    struct writer writer = {list, 0, LEVEE_NO_LAYER};
    put_simple(&writer, OPERATION_EMBED, VALUE_NONE, VALUE_X);
    return writer.count;
}

/* What of the tables the layer needs while the evictor may already be changing them. */
static void put_snapshot(struct writer* writer, const struct pass_form* form)
{
    if (form->indexed)
        put_simple(writer, OPERATION_SNAPSHOT, VALUE_TABLES, VALUE_SNAPSHOT);
    if (form->held && form->keeps_x) {
        put_simple(writer, OPERATION_KEEP_SLOTS, VALUE_SNAPSHOT, VALUE_SNAPSHOT);
        put_simple(writer, OPERATION_SKIP_STORED, VALUE_TABLES, VALUE_SNAPSHOT);
    }
    if (form->held)
        put_simple(writer, OPERATION_REDIRECT, VALUE_SNAPSHOT, VALUE_SNAPSHOT);
}

/* The layer's input, in front of it those of tokens that are stored as inputs. */
static void put_inputs(struct writer* writer, const struct pass_form* form)
{
    const struct operation keep = {
        .reads = {VALUE_NORMED}, .writes = VALUE_X_ROWS, .also_reads = VALUE_BIT(VALUE_TABLES)};
    const struct operation recall = {.reads = {VALUE_X_ROWS}, .writes = VALUE_RECALLED};
    struct operation operation = recall;
    if (form->recalls) {
        operation.kind = OPERATION_RECALL;
        put(writer, operation);
        operation.kind = OPERATION_RECALL_SCALES;
        put(writer, operation);
    }
    if (form->keeps_x) {
        operation = keep;
        operation.kind = OPERATION_KEEP_X;
        put(writer, operation);
        operation.kind = OPERATION_KEEP_X_SCALE;
        put(writer, operation);
    }
}

/* Keys or values by their own product; the recalled tokens' rows in the same one. */
static void put_own_product(struct writer* writer, const struct pass_form* form, bool keys,
                            const struct matrix* matrix)
{
    const enum value raw = keys ? VALUE_RAW_KEYS : VALUE_RAW_VALUES;
    const enum value old = keys ? VALUE_RECALLED_KEYS : VALUE_RECALLED_VALUES;
    const enum value beside = keys ? VALUE_NEW_KEYS : VALUE_NEW_VALUES;
    const enum value cache = keys ? VALUE_KEYS : VALUE_VALUES;
    const uint32_t tables = VALUE_BIT(VALUE_SNAPSHOT);
    put(writer, (struct operation){.kind = OPERATION_LINEAR,
                                   .reads = {VALUE_NORMED},
                                   .writes = raw,
                                   .matrix = matrix,
                                   .with_recalled = form->recalls,
                                   .also_reads = form->recalls ? VALUE_BIT(VALUE_RECALLED) : 0,
                                   .also_writes = form->recalls ? VALUE_BIT(old) : 0});
    put(writer, (struct operation){.kind = keys ? OPERATION_STORE_KEY : OPERATION_STORE_VALUE,
                                   .reads = {raw},
                                   .writes = cache,
                                   .also_reads = form->indexed ? tables : 0,
                                   .also_writes = form->held ? VALUE_BIT(beside) : 0});
    if (form->recalls)
        put(writer,
            (struct operation){.kind = keys ? OPERATION_RESTORE_KEY : OPERATION_RESTORE_VALUE,
                               .reads = {old},
                               .writes = beside,
                               .also_reads = tables | (keys ? VALUE_BIT(VALUE_TABLES) : 0),
                               .also_writes = VALUE_BIT(cache)});
}

static void put_projections(struct writer* writer, const struct layer* weights,
                            const struct pass_form* form)
{
    if (form->separate) {
        put_linear(writer, VALUE_NORMED, &weights->query, VALUE_RAW_QUERY);
        put_simple(writer, OPERATION_QUERY, VALUE_RAW_QUERY, VALUE_QUERY);
        put_own_product(writer, form, true, &weights->key);
        put_own_product(writer, form, false, &weights->value);
        return;
    }
    const uint32_t slots = form->indexed ? VALUE_BIT(VALUE_SNAPSHOT) : 0;
    put_linear(writer, VALUE_NORMED, &weights->qkv, VALUE_QKV);
    put_simple(writer, OPERATION_QUERY, VALUE_QKV, VALUE_QUERY);
    put(writer, (struct operation){.kind = OPERATION_STORE_KEY,
                                   .reads = {VALUE_QKV},
                                   .writes = VALUE_KEYS,
                                   .also_reads = slots});
    put(writer, (struct operation){.kind = OPERATION_STORE_VALUE,
                                   .reads = {VALUE_QKV},
                                   .writes = VALUE_VALUES,
                                   .also_reads = slots});
}

/* Importance changes with the scores of the arriving tokens. A decode step's come on a stream port,
 * so do softmax scores of a prefill; its logits are read when they lie in memory, and so are a
 * decode step's if they are to be searched after attention. */
static void put_importance(struct writer* writer, const struct policy* policy,
                           const struct pass_form* form)
{
    const uint32_t attention = form->search_after ? VALUE_BIT(VALUE_MIXED) : 0;
    if (form->prefill)
        put(writer,
            (struct operation){.kind = OPERATION_ACCUMULATE,
                               .reads = {policy->score == LEVEE_SE_LOGIT ? VALUE_SCORES : 0},
                               .writes = VALUE_IMPORTANCE});
    else
        put(writer, (struct operation){.kind = OPERATION_EVICT,
                                       .reads = {form->search_after ? VALUE_SCORES : 0},
                                       .writes = VALUE_TABLES,
                                       .also_reads = VALUE_BIT(VALUE_SNAPSHOT) | attention,
                                       .also_writes = VALUE_BIT(VALUE_X_ROWS)});
}

/* Keys and values that have been used go where they stay. */
static void put_keep(struct writer* writer, const struct pass_form* form, bool keys)
{
    const enum value beside = keys ? VALUE_NEW_KEYS : VALUE_NEW_VALUES;
    if (form->held)
        put(writer, (struct operation){.kind = keys ? OPERATION_KEEP_KEY : OPERATION_KEEP_VALUE,
                                       .reads = {beside},
                                       .writes = keys ? VALUE_KEYS : VALUE_VALUES,
                                       .also_reads = VALUE_BIT(VALUE_SNAPSHOT),
                                       .also_writes = VALUE_BIT(beside)});
}

static void put_attention(struct writer* writer, const struct policy* policy,
                          const struct pass_form* form)
{
    const bool elsewhere = form->held || form->recalls;
    const uint32_t with_keys =
        elsewhere ? VALUE_BIT(VALUE_NEW_KEYS) | VALUE_BIT(VALUE_SNAPSHOT) : 0;
    const uint32_t with_values =
        elsewhere ? VALUE_BIT(VALUE_NEW_VALUES) | VALUE_BIT(VALUE_SNAPSHOT) : 0;
    const bool of_logits = policy->score == LEVEE_SE_LOGIT;
    put(writer, (struct operation){.kind = OPERATION_SCORES,
                                   .reads = {VALUE_QUERY, VALUE_KEYS},
                                   .writes = VALUE_SCORES,
                                   .also_reads = with_keys});
    if (form->scored && of_logits && !form->search_after)
        put_importance(writer, policy, form);
    put_keep(writer, form, true);
    put(writer, (struct operation){.kind = OPERATION_SOFTMAX,
                                   .reads = {VALUE_SCORES, VALUE_VALUES},
                                   .writes = VALUE_PROBABILITIES});
    if (form->scored && !of_logits)
        put_importance(writer, policy, form);
    put(writer, (struct operation){.kind = OPERATION_MIX,
                                   .reads = {VALUE_PROBABILITIES, VALUE_VALUES},
                                   .writes = VALUE_MIXED,
                                   .also_reads = with_values});
    put_keep(writer, form, false);
    if (form->search_after)
        put_importance(writer, policy, form);
    if (form->held)
        put_simple(writer, OPERATION_UNDIRECT, VALUE_SNAPSHOT, VALUE_SNAPSHOT);
    if (form->indexed && !form->scored)
        put(writer, (struct operation){.kind = OPERATION_EVICT,
                                       .reads = {VALUE_SNAPSHOT},
                                       .writes = VALUE_TABLES,
                                       .also_writes = VALUE_BIT(VALUE_X_ROWS)});
    if (form->indexed)
        put(writer, (struct operation){.kind = OPERATION_FORGET,
                                       .reads = {VALUE_TABLES, VALUE_SNAPSHOT},
                                       .writes = VALUE_KEYS,
                                       .also_writes = VALUE_BIT(VALUE_VALUES)});
}

size_t transformer_attention(const struct model* model, const struct policy* policy,
                             const struct pass_form* form, uint32_t layer, struct operation* list)
{
    const struct layer* weights = &model->layers[layer];
    struct writer writer = {list, 0, layer};
    put(&writer, (struct operation){.kind = OPERATION_NORM,
                                    .reads = {VALUE_X},
                                    .writes = VALUE_NORMED,
                                    .norm = &weights->attention_norm});
    put_snapshot(&writer, form);
    put_inputs(&writer, form);
    put_projections(&writer, weights, form);
    put_attention(&writer, policy, form);
    put_simple(&writer, OPERATION_QUANTISE, VALUE_MIXED, VALUE_ATTENDED);
    put(&writer,
        (struct operation){.kind = OPERATION_LINEAR,
                           .reads = {VALUE_ATTENDED},
                           .writes = VALUE_PROJECTED,
                           .matrix = &weights->output,
                           .also_reads = form->search_after ? VALUE_BIT(VALUE_TABLES) : 0});
    put(&writer, (struct operation){.kind = OPERATION_ADD,
                                    .reads = {VALUE_X, VALUE_PROJECTED},
                                    .writes = VALUE_X});
    return writer.count;
}

size_t transformer_feed_forward(const struct model* model, uint32_t layer, struct operation* list)
{
    const struct layer* weights = &model->layers[layer];
    struct writer writer = {list, 0, layer};
    put(&writer, (struct operation){.kind = OPERATION_NORM,
                                    .reads = {VALUE_X},
                                    .writes = VALUE_NORMED,
                                    .norm = &weights->ffn_norm});
    put_linear(&writer, VALUE_NORMED, &weights->up, VALUE_EXPANDED);
    put_simple(&writer, OPERATION_ACTIVATE, VALUE_EXPANDED, VALUE_ACTIVATED);
    put_linear(&writer, VALUE_ACTIVATED, &weights->down, VALUE_PROJECTED);
    put(&writer, (struct operation){.kind = OPERATION_ADD,
                                    .reads = {VALUE_X, VALUE_PROJECTED},
                                    .writes = VALUE_X});
    return writer.count;
}

size_t transformer_end(const struct model* model, struct operation* list)
{
    struct writer writer = {list, 0, LEVEE_NO_LAYER};
    put(&writer, (struct operation){.kind = OPERATION_NORM,
                                    .reads = {VALUE_X},
                                    .writes = VALUE_NORMED,
                                    .norm = &model->final_norm});
    put_linear(&writer, VALUE_NORMED, &model->classifier, VALUE_LOGITS);
    put_simple(&writer, OPERATION_PICK, VALUE_LOGITS, VALUE_PICKS);
    for (size_t i = 0; i < writer.count; ++i)
        list[i].on_logit_rows = 1;
    return writer.count;
}
