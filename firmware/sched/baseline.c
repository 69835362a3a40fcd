/* The "Original" system: one array, one function unit, operations in program order, nothing
 * evicted. Matrix products go to the array, all else to the function unit; each operation starts
 * when what it reads has been written, so the two overlap where the data allow it. */
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/llm/transformer.h"
#include "firmware/sched/scheduler.h"

#include <stddef.h>

static enum unit unit_of(const struct operation* operation)
{
    switch (operation->kind) {
    case OPERATION_LINEAR:
    case OPERATION_SCORES:
    case OPERATION_MIX:
        return UNIT_RSA;
    default:
        return UNIT_SFU;
    }
}

static void count_units(const struct operation* list, size_t operations, uint32_t times,
                        uint32_t capacity[UNIT_COUNT])
{
    for (size_t i = 0; i < operations; ++i)
        capacity[unit_of(&list[i])] += times;
}

static void capacity_of(const struct model* model, uint32_t capacity[UNIT_COUNT])
{
    struct operation list[TRANSFORMER_MAX_OPERATIONS];
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        capacity[unit] = 0;
    count_units(list, transformer_begin(model, list), 1, capacity);
    count_units(list, transformer_layer(model, 0, list), model->header.layers, capacity);
    count_units(list, transformer_end(model, list), 1, capacity);
}

static void issue_operation(struct program* program, const struct lowering* lowering,
                            const struct pass* pass, const struct operation* operation)
{
    struct levee_descriptor* descriptor;
    if (unit_of(operation) == UNIT_RSA) {
        descriptor = program_add(program, UNIT_RSA, LEVEE_RSA_GEMM, operation);
        lower_rsa(lowering, pass, operation, rsa_operation(descriptor));
    } else {
        descriptor = program_add(program, UNIT_SFU,
                                 (uint8_t)lower_sfu_opcode(lowering, pass, operation), operation);
        lower_sfu(lowering, pass, operation, sfu_operation(descriptor));
    }
    if (operation->kind == OPERATION_EMBED)
        program->embed = descriptor;
    else if (operation->kind == OPERATION_SOFTMAX)
        program->softmax[operation->layer] = descriptor;
    else if (operation->kind == OPERATION_PICK)
        program->pick = descriptor;
}

static void issue(struct program* program, const struct lowering* lowering, const struct pass* pass,
                  const struct operation* list, size_t operations)
{
    for (size_t i = 0; i < operations; ++i)
        issue_operation(program, lowering, pass, &list[i]);
    program_push(program);
}

static uint32_t built(const struct program* program)
{
    return program->units[UNIT_RSA].count + program->units[UNIT_SFU].count;
}

static void build(struct program* program, const struct lowering* lowering, const struct pass* pass)
{
    const struct model* model = lowering->model;
    struct operation list[TRANSFORMER_MAX_OPERATIONS];
    issue(program, lowering, pass, list, transformer_begin(model, list));
    for (uint32_t layer = 0; layer < model->header.layers; ++layer) {
        const uint32_t before = built(program);
        issue(program, lowering, pass, list, transformer_layer(model, layer, list));
        if (built(program) - before > program->most_in_a_layer)
            program->most_in_a_layer = built(program) - before;
    }
    if (pass->logit_rows != 0)
        issue(program, lowering, pass, list, transformer_end(model, list));
}

static void refresh(struct program* program, const struct lowering* lowering,
                    const struct pass* pass)
{
    struct levee_sfu_operation* embed = sfu_operation(program->embed);
    embed->indices = pass->tokens.address;
    for (uint32_t layer = 0; layer < lowering->model->header.layers; ++layer)
        sfu_operation(program->softmax[layer])->n = pass->longest;
    if (program->pick != NULL) {
        struct levee_sfu_operation* pick = sfu_operation(program->pick);
        pick->out = pass->picks;
        pick->seed = pass->seed;
        if (pass->pick == PICK_LOG_PROB)
            pick->indices = pass->targets.address;
    }
}

const struct scheduler scheduler_baseline = {
    .name = "baseline",
    .capacity = capacity_of,
    .build = build,
    .refresh = refresh,
};
