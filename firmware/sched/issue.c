// SPDX-License-Identifier: Apache-2.0
#include "firmware/sched/issue.h"

#include "firmware/drivers/evictor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/llm/transformer.h"

#include <string.h>

enum unit issue_unit(const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_LINEAR:
    case OPERATION_SCORES:
    case OPERATION_MIX:
        return UNIT_RSA;
    case OPERATION_EVICT:
    case OPERATION_ACCUMULATE:
    case OPERATION_SELECT:
    case OPERATION_POPULAR:
    case OPERATION_FORGET:
        return UNIT_SE;
    case OPERATION_RESTORE_KEY:
    case OPERATION_RESTORE_VALUE:
        return UNIT_SFU;
    default:
        return operation->kind > OPERATION_PICK ? UNIT_DMA : UNIT_SFU;
    }
}

static void lower(const struct lowering* lowering, const struct pass* pass, enum unit unit,
                  const struct operation* operation, struct levee_descriptor* descriptor)
{
    switch (unit) {
    case UNIT_SFU:
        lower_sfu(lowering, pass, operation, descriptor);
        break;
    case UNIT_SE:
        lower_evictor(lowering, pass, operation, descriptor);
        break;
    case UNIT_DMA:
        lower_dma(lowering, pass, operation, descriptor);
        break;
    default:
        lower_rsa(lowering, pass, operation, descriptor);
    }
}

bool lower_is_by_part(const struct pass* pass, const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_STORE_KEY:
    case OPERATION_STORE_VALUE:
        return !pass->form.held;
    case OPERATION_SCORES:
    case OPERATION_SOFTMAX:
    case OPERATION_MIX:
    case OPERATION_EVICT:
    case OPERATION_FORGET:
    case OPERATION_KEEP_KEY:
    case OPERATION_KEEP_VALUE:
    case OPERATION_FILL_KEYS:
    case OPERATION_FILL_VALUES:
    case OPERATION_FILL_VIEWS:
    case OPERATION_SELECT:
    case OPERATION_GATHER_KEYS:
    case OPERATION_GATHER_VALUES:
        return true;
    default:
        return false;
    }
}

/* Only memory that must refresh has anything to forget, or is filled. */
static bool is_needed(const struct lowering* lowering, const struct pass* pass,
                      const struct operation* operation, uint32_t part)
{
    const struct cache* cache = &lowering->placement->cache;
    switch (operation->kind) {
    case OPERATION_FORGET:
    case OPERATION_FILL_KEYS:
    case OPERATION_FILL_VALUES:
        return cache_slices(cache, pass, operation->layer, part).part->refreshed;
    case OPERATION_FILL_VIEWS:
        return cache_slices(cache, pass, operation->layer, part).views != 0 &&
               pass->fill_to > pass->fill_from + 1;
    default:
        return true;
    }
}

/* Fields that follow from how many x rows are in use. */
static bool depends_on_recalled(const struct pass_form* form, const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_LINEAR:
        return operation->with_recalled;
    case OPERATION_SCORES:
    case OPERATION_MIX:
        return form->recalls;
    case OPERATION_RECALL:
    case OPERATION_RECALL_SCALES:
    case OPERATION_RESTORE_KEY:
    case OPERATION_RESTORE_VALUE:
        return true;
    default:
        return false;
    }
}

static bool differs(const struct pass_form* form, const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_EMBED:
    case OPERATION_SOFTMAX:
    case OPERATION_EVICT:
    case OPERATION_ACCUMULATE:
    case OPERATION_PICK:
        return true;
    default:
        return depends_on_recalled(form, operation);
    }
}

static void issue_operation(struct program* program, const struct scheduler* scheduler,
                            const struct lowering* lowering, const struct pass* pass,
                            const struct operation* operation)
{
    const enum unit wanted = scheduler->unit_of(operation);
    const enum unit unit = wanted == UNIT_RSA_KV ? program->engines->kv : wanted;
    struct levee_descriptor* descriptor = program_add(program, unit, operation);
    lower(lowering, pass, unit, operation, descriptor);
    if (differs(&pass->form, operation))
        program_patch(program, descriptor, operation);
}

void issue_list(struct program* program, const struct scheduler* scheduler,
                const struct lowering* lowering, const struct pass* pass,
                const struct operation* list, size_t operations, bool last)
{
    program_place(program, lowering->values);
    for (size_t i = 0; i < operations; ++i) {
        struct operation operation = list[i];
        const uint32_t parts = lower_is_by_part(pass, &operation)
                                   ? cache_parts(&lowering->placement->cache, pass, operation.layer)
                                   : 1;
        for (uint32_t part = 0; part < parts; ++part) {
            if (parts > 1)
                operation.part = (uint8_t)part;
            if (is_needed(lowering, pass, &operation, part))
                issue_operation(program, scheduler, lowering, pass, &operation);
        }
    }
    program_retire(program, last);
}

void issue_pass(struct program* program, const struct scheduler* scheduler,
                const struct lowering* lowering, const struct pass* pass)
{
    const struct model* model = lowering->model;
    const uint32_t layers = model->header.layers;
    struct operation list[TRANSFORMER_MAX_OPERATIONS];
    issue_list(program, scheduler, lowering, pass, list, transformer_begin(model, list), false);
    program_push(program);
    for (uint32_t layer = 0; layer < layers; ++layer) {
        const uint32_t before = program_count(program);
        const bool last = layer + 1 == layers && pass->logit_rows == 0;
        issue_list(program, scheduler, lowering, pass, list,
                   transformer_attention(model, lowering->policy, &pass->form, layer, list), false);
        issue_list(program, scheduler, lowering, pass, list,
                   transformer_feed_forward(model, layer, list), last);
        if (program_count(program) - before > program->most_in_a_layer)
            program->most_in_a_layer = program_count(program) - before;
        if (pass->form.recalls)
            program->recalled[layer] = pass->recalled[layer];
        program_push(program);
    }
    if (pass->logit_rows != 0)
        issue_list(program, scheduler, lowering, pass, list, transformer_end(model, list), true);
}

static void count_list(const struct scheduler* scheduler, const struct lowering* lowering,
                       const struct pass* pass, const struct operation* list, size_t operations,
                       uint32_t parts, struct program_capacity* capacity)
{
    for (size_t i = 0; i < operations; ++i) {
        const uint32_t most = lower_is_by_part(pass, &list[i]) ? parts : 1;
        uint32_t times = 0;
        for (uint32_t part = 0; part < most; ++part)
            times += is_needed(lowering, pass, &list[i], part);
        capacity->units[scheduler->unit_of(&list[i])] += times;
        if (differs(&pass->form, &list[i]))
            capacity->patches += times;
    }
}

void issue_capacity(const struct scheduler* scheduler, const struct lowering* lowering,
                    const struct pass_form* form, struct program_capacity* capacity)
{
    const struct model* model = lowering->model;
    const struct cache* cache = &lowering->placement->cache;
    const struct pass pass = {.entries = cache->batch, .form = *form};
    struct operation list[TRANSFORMER_MAX_OPERATIONS];
    *capacity = (struct program_capacity){.layers = model->header.layers};
    count_list(scheduler, lowering, &pass, list, transformer_begin(model, list), 1, capacity);
    for (uint32_t layer = 0; layer < model->header.layers; ++layer) {
        const uint32_t parts = cache_parts(cache, &pass, layer);
        count_list(scheduler, lowering, &pass, list,
                   transformer_attention(model, lowering->policy, form, layer, list), parts,
                   capacity);
        count_list(scheduler, lowering, &pass, list, transformer_feed_forward(model, layer, list),
                   parts, capacity);
    }
    count_list(scheduler, lowering, &pass, list, transformer_end(model, list), 1, capacity);
    /* Where the array has one queue only, it takes both. */
    capacity->units[UNIT_RSA] += capacity->units[UNIT_RSA_KV];
}

static void refresh(struct patch* patch, const struct lowering* lowering, const struct pass* pass)
{
    struct levee_descriptor* descriptor = patch->descriptor;
    struct levee_sfu_operation* functions = sfu_operation(descriptor);
    switch (patch->operation.kind) {
    case OPERATION_EMBED:
        functions->indices = pass->tokens.address;
        break;
    case OPERATION_SOFTMAX:
        functions->n = pass->longest;
        break;
    case OPERATION_EVICT:
    case OPERATION_ACCUMULATE:
        if (pass->form.scored && lowering->policy->score == LEVEE_SE_SOFTMAX)
            evictor_operation(descriptor)->n = pass->longest;
        break;
    default:
        functions->out = pass->picks;
        functions->seed = pass->seed;
        if (pass->pick == PICK_LOG_PROB)
            functions->indices = pass->targets.address;
    }
}

static void refresh_recalled(struct patch* patch, const struct lowering* lowering,
                             const struct pass* pass)
{
    switch (issue_unit(&patch->operation)) {
    case UNIT_RSA:
        lower_rsa_recalled(lowering, pass, &patch->operation, patch->descriptor);
        break;
    case UNIT_DMA:
        lower_dma_recalled(pass, &patch->operation, patch->descriptor);
        break;
    default:
        lower_sfu_recalled(lowering, pass, &patch->operation, patch->descriptor);
    }
}

void issue_refresh(struct program* program, const struct lowering* lowering,
                   const struct pass* pass)
{
    for (uint32_t i = 0; i < program->patch_count; ++i) {
        struct patch* patch = &program->patches[i];
        const uint32_t layer = patch->operation.layer;
        if (!depends_on_recalled(&pass->form, &patch->operation))
            refresh(patch, lowering, pass);
        else if (program->recalled[layer] != pass->recalled[layer])
            refresh_recalled(patch, lowering, pass);
    }
    if (pass->form.recalls)
        memcpy(program->recalled, pass->recalled,
               lowering->model->header.layers * sizeof *program->recalled);
}
