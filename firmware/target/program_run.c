// SPDX-License-Identifier: Apache-2.0
/* Submits a program to the units, and waits for them. */
#include "firmware/drivers/command_queue.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/target/program.h"

/* Submits this many descriptors of a unit. If they wrap around its ring buffer, it does so in two
 * pieces. */
static void push_unit(struct unit_program* mine, struct command_queue* queue, uint32_t count)
{
    while (count != 0) {
        const uint32_t to_end = mine->capacity - mine->waiting;
        const uint32_t now = count < to_end ? count : to_end;
        command_queue_submit(queue, &mine->descriptors[mine->waiting], now);
        mine->submitted += now;
        mine->waiting = now == to_end ? 0 : mine->waiting + now;
        count -= now;
    }
}

void program_push(struct program* program)
{
    for (uint32_t unit = 0; unit < program->units->count; ++unit) {
        struct unit_program* mine = &program->by_unit[unit];
        struct command_queue* queue = &program->units->queues[unit];
        const uint32_t ready = program->holds ? mine->before_list : mine->count;
        if (ready <= mine->submitted)
            continue;
        const uint32_t room = command_queue_room(queue, ready - mine->submitted);
        push_unit(mine, queue, room < ready - mine->submitted ? room : ready - mine->submitted);
    }
}

static bool pushed_and_done(void* context)
{
    program_push(context);
    return sync_reached();
}

static void wait_until(struct program* program, uint32_t unit, uint32_t count)
{
    sync_arm(unit, count);
    irq_wait_until(pushed_and_done, program);
}

void program_wait_for(struct program* program, uint32_t unit, uint32_t count)
{
    program_push(program);
    wait_until(program, unit, count);
}

/* Sleeps first for the unit of the last descriptor, which usually ends last. By then the other
 * units have usually ended, so the core need not sleep for them. */
void program_wait(struct program* program)
{
    wait_until(program, program->last, program->by_unit[program->last].count);
    for (uint32_t unit = 0; unit < program->units->count; ++unit)
        if (unit != program->last && sync_read(unit) != program->by_unit[unit].count)
            wait_until(program, unit, program->by_unit[unit].count);
}
