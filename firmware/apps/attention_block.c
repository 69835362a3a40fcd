// SPDX-License-Identifier: Apache-2.0
/* Runs one attention block of a model's first layer, from the norm to the output that is added to
 * X. Kelle's section 6 gives the data lifetimes of this block. The cache is full except for the
 * slot of the arriving token. All work is queued before any work starts, so the core's own time
 * does not affect the lifetimes. The program reports the addresses of X, Q, K and V as metrics;
 * observe.lifetimes uses them to report the lifetimes of these values. */
#include "firmware/cache/weave.h"
#include "firmware/drivers/descriptor.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/llm/transformer.h"
#include "firmware/session/open.h"
#include "firmware/session/tag_names.h"

#include <stdio.h>

#define MOST_OPERATIONS (TRANSFORMER_MAX_OPERATIONS + CACHE_MAX_OPERATIONS)

static struct session session;

/* Returns the number of the sync counter that starts all units. The units' own counters have the
 * numbers below it. */
static uint8_t go(void)
{
    return (uint8_t)session.units.count;
}

/* With LEVEE_DROP_WAITS, removes the waits of descriptors that use the new key. A test then checks
 * that the lifetimes change. */
static void drop_waits(struct levee_descriptor* descriptor)
{
#ifdef LEVEE_DROP_WAITS
    const uint32_t kind = descriptor->tag & 0xFF;
    if (kind == OPERATION_SCORES || kind == OPERATION_WRITE_BACK_KEY)
        for (unsigned slot = 0; slot < LEVEE_DESCRIPTOR_WAITS; ++slot)
            descriptor->wait_counter[slot] = LEVEE_NO_COUNTER;
#else
    (void)descriptor;
#endif
}

/* Makes the first descriptor of each queue also wait for the counter `go`. */
static void hold_back(struct unit_program* unit)
{
    for (uint32_t i = 0; i < unit->count; ++i)
        drop_waits(&unit->descriptors[i]);
    if (unit->count == 0)
        return;
    unsigned slot = 0;
    while (slot < LEVEE_DESCRIPTOR_WAITS &&
           unit->descriptors[0].wait_counter[slot] != LEVEE_NO_COUNTER)
        ++slot;
    if (slot == LEVEE_DESCRIPTOR_WAITS)
        fatal(EXIT_REFUSED, "attention_block: too many units to wait for");
    descriptor_wait(&unit->descriptors[0], slot, go(), 1);
}

static void build(struct program* program)
{
    struct operation plain[TRANSFORMER_MAX_OPERATIONS], woven[MOST_OPERATIONS];
    struct operation_list transformer = {plain, 0, TRANSFORMER_MAX_OPERATIONS};
    struct operation_list list = {woven, 0, MOST_OPERATIONS};
    const struct pass* pass = &session.step;
    transformer_attention(&session.model, 0, pass->shape.separate, &transformer);
    cache_weave(&session.placement.cache, pass, &transformer, &list);
    program_begin(program);
    program_clear(program);
    issue_list(&session.issuer, program, &session.lowering, pass, &list, true);
    for (unsigned unit = 0; unit < session.units.count; ++unit) {
        hold_back(&program->by_unit[unit]);
        if (program->by_unit[unit].count > session.units.queues[unit].depth)
            fatal(EXIT_REFUSED, "the units' queues are too short for %lu descriptors",
                  (unsigned long)program->by_unit[unit].count);
    }
}

static void report(const char* name, unsigned value)
{
    hostlink_metric_u64(name, session.placement.values[value].data);
}

/* Reports the addresses of the data, the bytes of weights that the array reads, and the bytes of
 * keys. Values have the same number of bytes as keys. */
static void report_all(uint32_t context)
{
    const bool staged = session.machine.staged;
    const struct matrix* keys = &session.model.layers[0].key;
    const uint32_t in_cache = staged ? context - 1 : context;
    report("block.x.address", VALUE_NORMED);
    report("block.q.address", VALUE_QUERY);
    report("block.k.address", staged ? VALUE_STAGED_KEYS : VALUE_RAW_KEYS);
    report("block.v.address", staged ? VALUE_STAGED_VALUES : VALUE_RAW_VALUES);
    hostlink_metric_u64("block.weight_bytes",
                        (uint64_t)keys->rows * (keys->row_bytes + 4 * matrix_scales(keys)));
    hostlink_metric_u64("block.key_bytes", (uint64_t)in_cache * keys->rows * system_kv_bits() / 8);
    hostlink_metric_u64("block.context", context);
    hostlink_metric_u64("block.descriptors", program_count(&session.way->decode));
}

int main(void)
{
    session_open(&session, SESSION_GENERATE);
    if (!session.lowering.separate || session.policy.evicts || session.policy.retrieval.bits != 0)
        fatal(EXIT_REFUSED, "attention_block needs the scheduler kelle or kelle_baseline, and "
                            "kv_cache.policy full");
    if (sync_counters() <= go())
        fatal(EXIT_REFUSED, "the sync block has %lu counters; %u are needed",
              (unsigned long)sync_counters(), go() + 1u);
    const uint32_t context = session.workload->context;
    session_begin_batch(&session, 0, 1);
    session.positions[0] = session.slots[0] = context - 1;
    session.lengths[0] = session.step.longest = context;

    build(&session.way->decode);
    sync_set(go(), 0);
    program_push(&session.way->decode);
    sync_set(go(), 1);
    program_wait(&session.way->decode);
    report_all(context);
    printf("one attention block over %lu tokens, scheduler %s\n", (unsigned long)context,
           session.machine.name);
    return 0;
}
