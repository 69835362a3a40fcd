// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/program.h"

#include "firmware/drivers/descriptor.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

#include <stddef.h>
#include <string.h>

void program_open(struct program* program, struct units* units,
                  const struct program_capacity* capacity)
{
    program->units = units;
    program->built = false;
    program->by_unit = heap_take(units->count * sizeof *program->by_unit, "a program");
    program->need = heap_take(units->count * sizeof *program->need, "a program");
    for (uint32_t unit = 0; unit < units->count; ++unit) {
        struct unit_program* mine = &program->by_unit[unit];
        mine->capacity = capacity->units[unit];
        mine->descriptors = heap_take(mine->capacity * sizeof *mine->descriptors, "a program");
    }
    hazards_open(&program->hazards, units->count);
    hazards_unite(&program->hazards, units->machine->ordered_with);
    program->patch_capacity = capacity->patches;
    program->patches = heap_take(capacity->patches * sizeof *program->patches, "a program");
    program->recomputed = heap_take(capacity->layers * sizeof *program->recomputed, "a program");
}

void program_begin(struct program* program)
{
    for (uint32_t unit = 0; unit < program->units->count; ++unit) {
        program->by_unit[unit].submitted = program->by_unit[unit].waiting = 0;
        sync_set(unit, 0);
    }
}

void program_clear(struct program* program)
{
    for (uint32_t unit = 0; unit < program->units->count; ++unit) {
        struct unit_program* mine = &program->by_unit[unit];
        mine->count = mine->completed = mine->next = 0;
    }
    hazards_clear(&program->hazards);
    memset(program->readers, 0, sizeof program->readers);
    program->most_in_a_layer = 0;
    program->patch_count = 0;
    program->last = 0;
}

uint32_t program_count(const struct program* program)
{
    uint32_t count = 0;
    for (uint32_t unit = 0; unit < program->units->count; ++unit)
        count += program->by_unit[unit].count;
    return count;
}

void program_begin_list(struct program* program)
{
    for (uint32_t unit = 0; unit < program->units->count; ++unit)
        program->by_unit[unit].before_list = program->by_unit[unit].count;
}

/* Makes space for another descriptor of a unit whose memory is full. A rolling program sleeps until
 * half of its descriptors have completed. Once a descriptor is submitted, it can no longer be
 * marked as the last reader. The list under construction is therefore submitted only if its own
 * descriptors must complete first. In that case the program forgets the list's last readers. */
static void make_room(struct program* program, uint32_t unit)
{
    const struct unit_program* mine = &program->by_unit[unit];
    if (!program->rolls)
        fatal(EXIT_REFUSED, "a program needs more than %lu descriptors for %s",
              (unsigned long)mine->capacity, program->units->queues[unit].block->name);
    const uint32_t completed = mine->count - mine->capacity / 2;
    program->holds = completed <= mine->before_list;
    program_wait_for(program, unit, completed);
    if (!program->holds)
        memset(program->readers, 0, sizeof program->readers);
    program->holds = false;
}

/* Appends an empty descriptor to those of the unit. */
static struct levee_descriptor* append(struct program* program, uint32_t unit, uint8_t opcode,
                                       uint32_t tag)
{
    struct unit_program* mine = &program->by_unit[unit];
    const struct command_queue* queue = &program->units->queues[unit];
    if (mine->count - mine->completed == mine->capacity) {
        make_room(program, unit);
        mine->completed = sync_read(unit);
    }
    struct levee_descriptor* descriptor = &mine->descriptors[mine->next];
    mine->next = mine->next + 1 == mine->capacity ? 0 : mine->next + 1;
    ++mine->count;
    descriptor_init(descriptor, opcode, tag);
    descriptor_signal(descriptor, 0, (uint8_t)unit);
    /* If a program is longer than the queue, it wakes the core after every half of the queue, so
     * that the core can refill it. */
    const uint32_t stride = queue->depth > 1 ? queue->depth / 2 : 1;
    if (mine->capacity > queue->depth && mine->count % stride == 0)
        descriptor->flags |= LEVEE_DESC_IRQ;
    return descriptor;
}

/* Makes the descriptor wait until `unit` has counted to `value`. Returns false if it has no wait
 * left. */
static bool add_wait(struct levee_descriptor* descriptor, uint32_t unit, uint32_t value)
{
    unsigned slot = 0;
    while (slot < LEVEE_DESCRIPTOR_WAITS && descriptor->wait_counter[slot] != LEVEE_NO_COUNTER &&
           descriptor->wait_counter[slot] != unit)
        ++slot;
    if (slot == LEVEE_DESCRIPTOR_WAITS)
        return false;
    if (descriptor->wait_counter[slot] == LEVEE_NO_COUNTER || descriptor->wait_value[slot] < value)
        descriptor_wait(descriptor, slot, (uint8_t)unit, value);
    return true;
}

/* Adds needs as waits, beginning with unit `other`, while the descriptor has waits left. Clears
 * these needs. Returns the first remaining need. */
static uint32_t add_needs(struct program* program, struct levee_descriptor* descriptor,
                          uint32_t other)
{
    uint32_t* need = program->need;
    for (unsigned slot = 0; other < program->units->count; ++other) {
        if (need[other] == 0)
            continue;
        if (slot == LEVEE_DESCRIPTOR_WAITS)
            break;
        descriptor->wait_counter[slot] = (uint8_t)other;
        descriptor->wait_value[slot++] = need[other];
        need[other] = 0;
    }
    return other;
}

/* Appends a descriptor on `unit` that waits for everything in `program->need`, and clears `need`.
 * If these are more than LEVEE_DESCRIPTOR_WAITS, fences appended before it wait for the others. The
 * unit's queue executes in order. */
static struct levee_descriptor* append_ordered(struct program* program, uint32_t unit, uint32_t tag)
{
    struct levee_descriptor* descriptor = append(program, unit, LEVEE_OPCODE_FENCE, tag);
    uint32_t other = add_needs(program, descriptor, 0);
    while (other < program->units->count) {
        descriptor = append(program, unit, LEVEE_OPCODE_FENCE, tag);
        other = add_needs(program, descriptor, other);
    }
    return descriptor;
}

/* Marks the last readers of `value`, and makes each wait for all other readers. A descriptor with
 * too few free waits is not marked, so the memory continues to refresh data that nothing uses. */
static void retire(struct program* program, unsigned value)
{
    struct last_readers* readers = &program->readers[value];
    const struct touch* read = program->hazards.values[value].read;
    for (unsigned i = 0; i < readers->count; ++i) {
        struct levee_descriptor* descriptor = readers->descriptors[i];
        bool waits = true;
        for (uint32_t unit = 0; waits && unit < program->units->count; ++unit)
            if (unit != readers->unit && read[unit].count != 0)
                waits = add_wait(descriptor, unit, read[unit].count);
        if (waits)
            descriptor->flags |= readers->operands;
    }
    readers->count = 0;
}

static void note_reader(struct program* program, uint32_t unit, const struct addition* addition,
                        struct levee_descriptor* descriptor, unsigned operand)
{
    const struct operation* operation = addition->operation;
    const unsigned value = operation->reads[operand];
    struct last_readers* readers = &program->readers[value];
    uint8_t flag = operand == 0 ? LEVEE_DESC_LAST_READ_0 : LEVEE_DESC_LAST_READ_1;
    if (addition->row->reads_twice)
        flag = LEVEE_DESC_LAST_READ_0 | LEVEE_DESC_LAST_READ_1;
    if (operation->also_writes & VALUE_BIT(value)) { /* the operation consumes the value, so it
                                                      * is its own last reader */
        descriptor->flags |= flag;
        return;
    }
    if (!(program->refreshed & VALUE_BIT(value)))
        return;
    if (value == VALUE_QKV) { /* each reader reads other columns, so no single reader is the last
                               * one */
        descriptor->flags |= flag;
        return;
    }
    if (operation->part == 0 || addition->lowering->tile != NULL)
        readers->count = 0; /* This is a new operation or the next tile, so earlier readers are
                             * not the last ones. */
    readers->descriptors[readers->count++] = descriptor;
    readers->operands = flag;
    readers->unit = (uint8_t)unit;
}

static bool reads(const struct operation* operation, unsigned operand)
{
    return operation->reads[operand] != VALUE_NONE &&
           operation->reads[operand] != operation->writes;
}

/* Records the last reader of a value, before the value is written again. If units share an
 * operation, they read some rows at the same time, so none of them is the last reader. */
static void note_readers(struct program* program, uint32_t unit, const struct addition* addition,
                         struct levee_descriptor* descriptor, bool shared)
{
    const struct operation* operation = addition->operation;
    for (unsigned i = 0; i < 2; ++i)
        if (reads(operation, i) && shared)
            program->readers[operation->reads[i]].count = 0;
        else if (reads(operation, i))
            note_reader(program, unit, addition, descriptor, i);
    program->readers[operation->writes].count = 0;
    uint32_t writes = operation->also_writes;
    for (unsigned value = 0; writes != 0; ++value, writes >>= 1)
        if (writes & 1u)
            program->readers[value].count = 0;
}

/* Returns the values in `memory` that a pass both writes and reads, including their recomputed
 * rows. Staged vectors are not included, because the operation that copies them to their slots
 * consumes them. */
static uint32_t values_in(const struct machine_placing* placing, const struct operand* values,
                          const struct levee_memory_info* memory)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < placing->activation_count; ++i)
        if (values[placing->activations[i]].data - memory->base < memory->size)
            found |= VALUE_BIT(placing->activations[i]);
    found &= ~(VALUE_BIT(VALUE_STAGED_KEYS) | VALUE_BIT(VALUE_STAGED_VALUES));
    if (found & VALUE_BIT(VALUE_RAW_KEYS))
        found |= VALUE_BIT(VALUE_RECOMPUTED_KEYS);
    if (found & VALUE_BIT(VALUE_RAW_VALUES))
        found |= VALUE_BIT(VALUE_RECOMPUTED_VALUES);
    return found;
}

void program_place(struct program* program, const struct operand* values)
{
    if (!program->units->machine->last_reads || program->refreshed_of == values)
        return;
    program->refreshed =
        values_in(&program->units->machine->placing, values, system_memory(LEVEE_ROLE_ACTIVATIONS));
    program->refreshed_of = values;
}

void program_retire(struct program* program, bool x)
{
    uint32_t values = program->refreshed & ~(x ? 0 : VALUE_BIT(VALUE_X));
    for (unsigned value = 0; values != 0; ++value, values >>= 1)
        if (values & 1u)
            retire(program, value);
}

static void note_patch(struct program* program, struct levee_descriptor* descriptor,
                       const struct addition* addition, lower_operation* patch)
{
    if (program->patch_count == program->patch_capacity)
        fatal(EXIT_REFUSED, "a program has more than %lu descriptors to patch",
              (unsigned long)program->patch_capacity);
    program->patches[program->patch_count++] =
        (struct patch){descriptor, patch, *addition->operation};
}

struct levee_descriptor* program_append(struct program* program, const struct addition* addition,
                                        uint32_t unit, bool shared, lower_operation* patch)
{
    struct levee_descriptor* descriptor =
        append_ordered(program, unit, operation_tag(addition->operation));
    if (program->units->machine->last_reads)
        note_readers(program, unit, addition, descriptor, shared);
    if (addition->patched && patch != NULL)
        note_patch(program, descriptor, addition, patch);
    program->last = unit;
    return descriptor;
}
