#include "firmware/sched/program.h"

#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

void engines_open(struct engines* engines)
{
    sync_open();
    if (sync_counters() < UNIT_COUNT)
        fatal(EXIT_REFUSED, "the sync block has %lu counters; %u are needed",
              (unsigned long)sync_counters(), UNIT_COUNT);
    rsa_open(&engines->queues[UNIT_RSA]);
    sfu_open(&engines->queues[UNIT_SFU]);
}

void program_open(struct program* program, struct engines* engines,
                  const uint32_t capacity[UNIT_COUNT], uint32_t layers)
{
    program->engines = engines;
    program->built = false;
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        program->units[unit].capacity = capacity[unit];
        program->units[unit].descriptors =
            heap_take(capacity[unit] * sizeof(struct levee_descriptor), "a program");
    }
    program->softmax = heap_take(layers * sizeof *program->softmax, "a program");
}

void program_begin(struct program* program)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit) {
        program->units[unit].submitted = 0;
        sync_set(unit, 0);
    }
}

void program_clear(struct program* program)
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        program->units[unit].count = 0;
    memset(program->hazards, 0, sizeof program->hazards);
    program->most_in_a_layer = 0;
    program->embed = NULL;
    program->pick = NULL;
}

static void later(uint16_t need[UNIT_COUNT], const uint16_t than[UNIT_COUNT])
{
    for (unsigned unit = 0; unit < UNIT_COUNT; ++unit)
        if (than[unit] > need[unit])
            need[unit] = than[unit];
}

/* Waits for the writers of what is read, and for writers and readers of what is written. */
static void order(struct program* program, enum unit unit, const struct operation* operation,
                  struct levee_descriptor* descriptor)
{
    const uint16_t own = (uint16_t)program->units[unit].count;
    uint16_t need[UNIT_COUNT] = {0};
    struct hazard* output = &program->hazards[operation->writes];
    for (unsigned i = 0; i < 2; ++i)
        if (operation->reads[i] != VALUE_NONE)
            later(need, program->hazards[operation->reads[i]].written);
    later(need, output->written);
    later(need, output->read);

    unsigned slot = 0;
    for (unsigned other = 0; other < UNIT_COUNT; ++other)
        if (need[other] != 0)
            descriptor_wait(descriptor, slot++, (uint8_t)other, need[other]);

    for (unsigned i = 0; i < 2; ++i)
        program->hazards[operation->reads[i]].read[unit] = own;
    output->written[unit] = own;
}

struct levee_descriptor* program_add(struct program* program, enum unit unit, uint8_t opcode,
                                     const struct operation* operation)
{
    struct unit_program* mine = &program->units[unit];
    const uint32_t depth = program->engines->queues[unit].depth;
    if (mine->count == mine->capacity)
        fatal(EXIT_REFUSED, "a program of more than %lu descriptors on %s",
              (unsigned long)mine->capacity, program->engines->queues[unit].block->name);
    struct levee_descriptor* descriptor = &mine->descriptors[mine->count++];
    descriptor_init(descriptor, opcode, operation_tag(operation));
    descriptor_signal(descriptor, 0, (uint8_t)unit);
    order(program, unit, operation, descriptor);
    /* Longer than the queue: be woken twice a queue's length to refill it. */
    const uint32_t stride = depth > 1 ? depth / 2 : 1;
    if (mine->capacity > depth && mine->count % stride == 0)
        descriptor->flags |= LEVEE_DESC_IRQ;
    program->last = unit;
    return descriptor;
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

void program_wait(struct program* program)
{
    sync_arm(program->last, program->units[program->last].count);
    irq_wait_until(pushed_and_done, program);
}
