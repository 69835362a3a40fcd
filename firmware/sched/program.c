// SPDX-License-Identifier: Apache-2.0
#include "firmware/sched/program.h"

#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/dma.h"
#include "firmware/drivers/evictor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

_Static_assert(VALUE_COUNT <= 32, "a bit for each value");

#define ACTIVATIONS                                                                                \
    (VALUE_BIT(VALUE_NORMED) | VALUE_BIT(VALUE_QKV) | VALUE_BIT(VALUE_QUERY) |                     \
     VALUE_BIT(VALUE_SCORES) | VALUE_BIT(VALUE_PROBABILITIES) | VALUE_BIT(VALUE_MIXED) |           \
     VALUE_BIT(VALUE_ATTENDED) | VALUE_BIT(VALUE_PROJECTED) | VALUE_BIT(VALUE_EXPANDED) |          \
     VALUE_BIT(VALUE_ACTIVATED) | VALUE_BIT(VALUE_LOGITS) | VALUE_BIT(VALUE_RAW_QUERY) |           \
     VALUE_BIT(VALUE_RAW_KEYS) | VALUE_BIT(VALUE_RAW_VALUES) | VALUE_BIT(VALUE_RECALLED_KEYS) |    \
     VALUE_BIT(VALUE_RECALLED_VALUES))

static void open_second_queue(struct engines* engines)
{
    const struct levee_block_info* second = system_block_after(engines->queues[UNIT_RSA].block);
    if (second == NULL)
        return;
    command_queue_open_block(&engines->queues[UNIT_RSA_KV], second, "systolic array");
    engines->open[UNIT_RSA_KV] = true;
    engines->kv = UNIT_RSA_KV;
}

void engines_open(struct engines* engines, const struct engine_needs* needs)
{
    *engines = (struct engines){.kv = UNIT_RSA, .forgets = needs->forgets};
    sync_open();
    rsa_open(&engines->queues[UNIT_RSA]);
    sfu_open(&engines->queues[UNIT_SFU]);
    engines->open[UNIT_RSA] = engines->open[UNIT_SFU] = true;
    if (needs->kv_queue)
        open_second_queue(engines);
    if (needs->evictor) {
        evictor_open(&engines->queues[UNIT_SE]);
        engines->open[UNIT_SE] = true;
    }
    if (needs->dma) {
        dma_open(&engines->queues[UNIT_DMA]);
        engines->open[UNIT_DMA] = true;
    }
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        if (engines->open[unit])
            engines->units = unit + 1;
    if (sync_counters() < engines->units)
        fatal(EXIT_REFUSED, "the sync block has %lu counters; %u are needed",
              (unsigned long)sync_counters(), engines->units);
}

void program_open(struct program* program, struct engines* engines,
                  const struct program_capacity* capacity)
{
    program->engines = engines;
    program->built = false;
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        program->units[unit].capacity = capacity->units[unit];
        program->units[unit].descriptors =
            heap_take(capacity->units[unit] * sizeof(struct levee_descriptor), "a program");
    }
    program->patch_capacity = capacity->patches;
    program->patches = heap_take(capacity->patches * sizeof *program->patches, "a program");
    program->recalled = heap_take(capacity->layers * sizeof *program->recalled, "a program");
}

void program_begin(struct program* program)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        program->units[unit].submitted = 0;
        if (program->engines->open[unit])
            sync_set(unit, 0);
    }
}

void program_clear(struct program* program)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        program->units[unit].count = 0;
    memset(program->hazards, 0, sizeof program->hazards);
    program->most_in_a_layer = 0;
    program->patch_count = 0;
    program->last = UNIT_RSA;
}

uint32_t program_count(const struct program* program)
{
    uint32_t count = 0;
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        count += program->units[unit].count;
    return count;
}

static void later(unsigned units, uint16_t need[UNIT_COUNT], const uint16_t than[UNIT_COUNT])
{
    for (unsigned unit = 0; unit < units; ++unit)
        if (than[unit] > need[unit])
            need[unit] = than[unit];
}

/* A unit's own counter need not be waited for: its queue works in order. Four others fit. */
static void add_waits(struct levee_descriptor* descriptor, unsigned units, enum unit own,
                      const uint16_t need[UNIT_COUNT])
{
    for (unsigned other = 0; other < units; ++other) {
        if (need[other] == 0 || other == own)
            continue;
        unsigned slot = 0;
        while (descriptor->wait_counter[slot] != LEVEE_NO_COUNTER &&
               descriptor->wait_counter[slot] != other)
            ++slot;
        if (descriptor->wait_counter[slot] == LEVEE_NO_COUNTER ||
            descriptor->wait_value[slot] < need[other])
            descriptor_wait(descriptor, slot, (uint8_t)other, need[other]);
    }
}

/* One operation's place among the others. */
struct ordering {
    struct program* program;
    unsigned unit;
    uint16_t own; /* the unit's counter once the operation is done */
    uint16_t need[UNIT_COUNT];
};

/* After whoever wrote it. */
static void order_read(struct ordering* ordering, unsigned value)
{
    struct hazard* hazard = &ordering->program->hazards[value];
    later(ordering->program->engines->units, ordering->need, hazard->written);
    hazard->read[ordering->unit] = ordering->own;
}

/* After whoever wrote or read it. */
static void order_write(struct ordering* ordering, unsigned value)
{
    struct hazard* hazard = &ordering->program->hazards[value];
    later(ordering->program->engines->units, ordering->need, hazard->written);
    later(ordering->program->engines->units, ordering->need, hazard->read);
    hazard->written[ordering->unit] = ordering->own;
}

static void order_set(struct ordering* ordering, uint32_t values,
                      void (*order_one)(struct ordering*, unsigned))
{
    for (unsigned value = 0; values != 0; ++value, values >>= 1)
        if (values & 1u)
            order_one(ordering, value);
}

static void order(struct program* program, enum unit unit, const struct operation* operation,
                  struct levee_descriptor* descriptor)
{
    struct ordering ordering = {program, unit, (uint16_t)program->units[unit].count, {0}};
    order_write(&ordering, operation->writes);
    for (unsigned i = 0; i < 2; ++i)
        if (operation->reads[i] != VALUE_NONE)
            order_read(&ordering, operation->reads[i]);
    order_set(&ordering, operation->also_reads, order_read);
    order_set(&ordering, operation->also_writes, order_write);
    ordering.need[unit] = 0;
    add_waits(descriptor, program->engines->units, unit, ordering.need);
}

/* Whoever has read `value` last says so, once the others have. */
static void retire(struct program* program, unsigned value)
{
    struct hazard* hazard = &program->hazards[value];
    for (unsigned i = 0; i < hazard->reader_count; ++i) {
        hazard->readers[i]->flags |= hazard->reader_operands;
        add_waits(hazard->readers[i], program->engines->units, (enum unit)hazard->reader_unit,
                  hazard->read);
    }
    hazard->reader_count = 0;
}

static void note_reader(struct program* program, enum unit unit, const struct operation* operation,
                        struct levee_descriptor* descriptor, unsigned operand)
{
    const unsigned value = operation->reads[operand];
    struct hazard* hazard = &program->hazards[value];
    uint8_t flag = operand == 0 ? LEVEE_DESC_LAST_READ_0 : LEVEE_DESC_LAST_READ_1;
    if (operation->kind == OPERATION_ACTIVATE) /* gate and up are two operands of one value */
        flag = LEVEE_DESC_LAST_READ_0 | LEVEE_DESC_LAST_READ_1;
    if (operation->also_writes & VALUE_BIT(value)) { /* used up */
        descriptor->flags |= flag;
        return;
    }
    if (!(program->refreshed & VALUE_BIT(value)))
        return;
    if (value == VALUE_QKV) { /* each reader has its own columns */
        descriptor->flags |= flag;
        return;
    }
    if (operation->part == 0) /* another operation's first */
        hazard->reader_count = 0;
    hazard->readers[hazard->reader_count++] = descriptor;
    hazard->reader_operands = flag;
    hazard->reader_unit = (uint8_t)unit;
}

/* Keeps track of who reads a value last before it is written again. */
static void note_readers(struct program* program, enum unit unit, const struct operation* operation,
                         struct levee_descriptor* descriptor)
{
    for (unsigned i = 0; i < 2; ++i)
        if (operation->reads[i] != VALUE_NONE && operation->reads[i] != operation->writes)
            note_reader(program, unit, operation, descriptor, i);
    const uint32_t writes = operation->also_writes | VALUE_BIT(operation->writes);
    for (unsigned value = 1; value < VALUE_COUNT; ++value)
        if (writes & VALUE_BIT(value))
            program->hazards[value].reader_count = 0;
}

/* Recalled tokens' rows lie behind the arriving ones'. */
static unsigned place_of(unsigned value)
{
    switch (value) {
    case VALUE_RECALLED_KEYS:
        return VALUE_RAW_KEYS;
    case VALUE_RECALLED_VALUES:
        return VALUE_RAW_VALUES;
    default:
        return value;
    }
}

void program_place(struct program* program, const struct operand* values)
{
    if (!program->engines->forgets || program->refreshed_of == values)
        return;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_ACTIVATIONS);
    program->refreshed = 0;
    for (unsigned value = 1; value < VALUE_COUNT; ++value)
        if (((ACTIVATIONS | VALUE_BIT(VALUE_X)) & VALUE_BIT(value)) &&
            values[place_of(value)].data - memory->base < memory->size)
            program->refreshed |= VALUE_BIT(value);
    program->refreshed_of = values;
}

void program_retire(struct program* program, bool x)
{
    if (!program->engines->forgets)
        return;
    for (unsigned value = 1; value < VALUE_COUNT; ++value)
        if ((program->refreshed & VALUE_BIT(value)) && (x || value != VALUE_X))
            retire(program, value);
}

struct levee_descriptor* program_add(struct program* program, enum unit unit,
                                     const struct operation* operation)
{
    struct unit_program* mine = &program->units[unit];
    const uint32_t depth = program->engines->queues[unit].depth;
    if (mine->count == mine->capacity)
        fatal(EXIT_REFUSED, "a program of more than %lu descriptors on %s",
              (unsigned long)mine->capacity, program->engines->queues[unit].block->name);
    struct levee_descriptor* descriptor = &mine->descriptors[mine->count++];
    descriptor_init(descriptor, 0, operation_tag(operation));
    descriptor_signal(descriptor, 0, (uint8_t)unit);
    order(program, unit, operation, descriptor);
    if (program->engines->forgets)
        note_readers(program, unit, operation, descriptor);
    /* Longer than the queue: be woken twice a queue's length to refill it. */
    const uint32_t stride = depth > 1 ? depth / 2 : 1;
    if (mine->capacity > depth && mine->count % stride == 0)
        descriptor->flags |= LEVEE_DESC_IRQ;
    program->last = unit;
    return descriptor;
}

void program_patch(struct program* program, struct levee_descriptor* descriptor,
                   const struct operation* operation)
{
    if (program->patch_count == program->patch_capacity)
        fatal(EXIT_REFUSED, "a program with more than %lu descriptors to patch",
              (unsigned long)program->patch_capacity);
    program->patches[program->patch_count++] = (struct patch){descriptor, *operation};
}

void program_push(struct program* program)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        struct unit_program* mine = &program->units[unit];
        struct command_queue* queue = &program->engines->queues[unit];
        uint32_t rest = mine->count - mine->submitted;
        if (rest == 0)
            continue;
        uint32_t room = command_queue_room(queue, rest);
        uint32_t now = rest < room ? rest : room;
        if (now == 0)
            continue;
        command_queue_submit(queue, &mine->descriptors[mine->submitted], now);
        mine->submitted += now;
    }
}

static bool pushed_and_done(void* context)
{
    program_push(context);
    return sync_reached();
}

static void wait_for(struct program* program, enum unit unit)
{
    sync_arm(unit, program->units[unit].count);
    irq_wait_until(pushed_and_done, program);
}

/* The last operation needs everything the array and the function unit have done, but not what the
 * evictor and the DMA engine are still to do. */
void program_wait(struct program* program)
{
    static const enum unit others[] = {UNIT_SE, UNIT_DMA};
    wait_for(program, program->last);
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
        if (others[i] != program->last && program->units[others[i]].count != 0)
            wait_for(program, others[i]);
}
