// SPDX-License-Identifier: Apache-2.0
/* One attention block, from the norm to what it adds to X, of a model's first layer: what Kelle's
 * section 6 counts data lifetimes of. The cache is taken to be full but for the arriving token. All
 * is queued before anything starts, so that the core's own time is not in the figures; where X, Q,
 * K and V lie is told as metrics, from which observe.lifetimes gives their lifetimes. */
#include "firmware/drivers/descriptor.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/llm/session.h"
#include "firmware/llm/transformer.h"
#include "firmware/sched/issue.h"

#include <stdio.h>

#define GO UNIT_COUNT /* the counter everything waits for */

static struct session session;

/* Built with LEVEE_DROP_WAITS, those who use the new key do not wait for anybody: a test sees that
 * the figures are the waits' doing. */
static void drop_waits(struct levee_descriptor* descriptor)
{
#ifdef LEVEE_DROP_WAITS
    const uint32_t kind = descriptor->tag & 0xFF;
    if (kind == OPERATION_SCORES || kind == OPERATION_KEEP_KEY)
        for (unsigned slot = 0; slot < 4; ++slot)
            descriptor->wait_counter[slot] = LEVEE_NO_COUNTER;
#else
    (void)descriptor;
#endif
}

/* The first of each queue waits for GO, too. */
static void hold_back(struct unit_program* unit)
{
    for (uint32_t i = 0; i < unit->count; ++i)
        drop_waits(&unit->descriptors[i]);
    if (unit->count == 0)
        return;
    unsigned slot = 0;
    while (unit->descriptors[0].wait_counter[slot] != LEVEE_NO_COUNTER)
        ++slot;
    descriptor_wait(&unit->descriptors[0], slot, GO, 1);
}

static void build(struct program* program)
{
    struct operation list[TRANSFORMER_MAX_OPERATIONS];
    const struct pass* pass = &session.step;
    const size_t count =
        transformer_attention(&session.model, &session.policy, &pass->form, 0, list);
    program_begin(program);
    program_clear(program);
    issue_list(program, session.scheduler, &session.lowering, pass, list, count, true);
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        hold_back(&program->units[unit]);
        if (program->units[unit].count > session.engines.queues[unit].depth)
            fatal(EXIT_REFUSED, "the block's queues are too short: %lu descriptors at once",
                  (unsigned long)program->units[unit].count);
    }
}

static void tell(const char* name, enum value value)
{
    hostlink_metric_u64(name, session.placement.values[value].data);
}

/* Where the data lie, and what the array reads of weights and of keys (as much as of values). */
static void tell_all(uint32_t context)
{
    const bool held = session.decode_form.held;
    const struct matrix* keys = &session.model.layers[0].key;
    const uint32_t in_cache = held ? context - 1 : context;
    tell("block.x.address", VALUE_NORMED);
    tell("block.q.address", VALUE_QUERY);
    tell("block.k.address", held ? VALUE_NEW_KEYS : VALUE_RAW_KEYS);
    tell("block.v.address", held ? VALUE_NEW_VALUES : VALUE_RAW_VALUES);
    hostlink_metric_u64("block.weight_bytes", (uint64_t)keys->rows * (keys->row_bytes + 4));
    hostlink_metric_u64("block.key_bytes", 2ull * in_cache * keys->rows);
    hostlink_metric_u64("block.context", context);
    hostlink_metric_u64("block.descriptors", program_count(&session.decode));
}

int main(void)
{
    session_open(&session, SESSION_GENERATE);
    if (!session.decode_form.separate || session.policy.evicts)
        fatal(EXIT_REFUSED, "attention_block is for the schedulers kelle and kelle_baseline, and a "
                            "cache with the policy full");
    if (sync_counters() <= GO)
        fatal(EXIT_REFUSED, "the sync block has %lu counters; %u are needed",
              (unsigned long)sync_counters(), GO + 1);
    const uint32_t context = session.workload->context;
    session_begin_batch(&session, 0, 1);
    session.positions[0] = session.slots[0] = context - 1;
    session.lengths[0] = session.step.longest = context;

    build(&session.decode);
    sync_set(GO, 0);
    program_push(&session.decode);
    sync_set(GO, 1);
    program_wait(&session.decode);
    tell_all(context);
    printf("one attention block over %lu tokens, scheduler %s\n", (unsigned long)context,
           session.scheduler->name);
    return 0;
}
