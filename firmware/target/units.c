// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/units.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/policies/policies.h"

#include <stddef.h>

static bool belongs(const struct unit_class* unit_class, const struct levee_block_info* block)
{
    return block->type == (uint32_t)unit_class->type &&
           (block->shares != 0) == (unit_class->otherwise != NULL);
}

/* Reduces `capacities` to the smallest numbers with the same ratio. The product of an operation's
 * number of pieces and the sum of these numbers must fit into 32 bits. */
static void reduce(uint32_t* capacities, uint32_t count)
{
    uint32_t divisor = 0, sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t a = capacities[i], rest; a != 0; a = rest) {
            rest = divisor % a;
            divisor = a;
        }
    for (uint32_t i = 0; i < count; ++i)
        sum += capacities[i] /= divisor;
    for (; sum > UINT16_MAX; sum /= 2)
        for (uint32_t i = 0; i < count; ++i)
            capacities[i] = (capacities[i] + 1) / 2;
}

static void compare_capacities(struct units* units, const struct unit_class* unit_class,
                               const struct unit_range* range)
{
    uint32_t* capacities = &units->capacities[range->first];
    for (uint32_t i = 0; i < range->count; ++i)
        capacities[i] = unit_class->capacity != NULL
                            ? unit_class->capacity(units->queues[range->first + i].block)
                            : 1;
    reduce(capacities, range->count);
}

/* Opens all blocks of the class. */
static void open_class(struct units* units, const struct unit_class* unit_class,
                       struct unit_range* range)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->block_count; ++i)
        if (belongs(unit_class, &info->blocks[i])) {
            command_queue_open_block(&units->queues[units->count++], &info->blocks[i],
                                     unit_class->name);
            ++range->count;
        }
    if (range->count > 1)
        compare_capacities(units, unit_class, range);
}

_Noreturn static void miss(const struct unit_class* unit_class, const struct machine_part* part)
{
    const uint32_t kind = system_info()->kv.kind;
    const bool is_with = kind == LEVEE_KV_FULL; /* The policy `full` needs no part itself. */
    if (part->roles == 1u << PART_CACHE)
        fatal(EXIT_REFUSED, "this system has no %s, which kv_cache.%s %s needs (part %s)",
              unit_class->name, is_with ? "with" : "policy",
              is_with ? part->name : levee_kv_rule_of(kind)->name, part->name);
    fatal(EXIT_REFUSED, "this system has no %s, which the part %s needs", unit_class->name,
          part->name);
}

/* Opens a class that a row of the part names, unless it is already open. */
static void add_class(struct units* units, const struct unit_class* unit_class,
                      const struct machine_part* part)
{
    if (unit_class == NULL || units_of(units, unit_class) != NULL)
        return;
    if (units->class_count == UNIT_CLASSES_MAX)
        fatal(EXIT_REFUSED, "a machine has more than %u classes of units", UNIT_CLASSES_MAX);
    struct unit_range range = {units->count, 0};
    if (unit_class->otherwise == NULL || units->machine->kv_queue)
        open_class(units, unit_class, &range);
    if (range.count == 0 && unit_class->otherwise != NULL) {
        add_class(units, unit_class->otherwise, part);
        range = *units_of(units, unit_class->otherwise);
    }
    if (range.count == 0 && !unit_class->optional)
        miss(unit_class, part);
    units->classes[units->class_count] = unit_class;
    units->ranges[units->class_count++] = range;
}

/* Adds the units that a part's rows name, and the units of the parts that do the rest of its
 * work. */
static void add_part(struct units* units, const struct machine_part* part)
{
    add_class(units, part->unit, part);
    for (; part != NULL; part = part->otherwise)
        for (uint32_t i = 0; i < part->row_count; ++i) {
            const struct row* row = &part->rows[i].row;
            if (units->machine->rows[part->rows[i].kind] != row)
                continue;
            add_class(units, row->unit, part);
            for (uint32_t j = 0; row->partners != NULL && j < row->partners->count; ++j)
                add_class(units, row->partners->list[j].unit, part);
        }
}

static bool has_units(const struct units* units, const struct unit_class* unit_class)
{
    const struct unit_range* range = units_of(units, unit_class);
    return range != NULL && range->count != 0;
}

static bool has_kv_queue(const struct units* units)
{
    for (uint32_t i = 0; i < units->class_count; ++i)
        if (units->classes[i]->otherwise != NULL &&
            units->ranges[i].first != units_of(units, units->classes[i]->otherwise)->first)
            return true;
    return false;
}

/* Ends the run if a part that `workload.machine` names has no units. If the scenario names a
 * scheduler instead, fewer units are required. */
static void check_named(const struct units* units)
{
    const struct machine* machine = units->machine;
    if (system_info()->parts.names[PART_WEIGHTS][0] == 0)
        return;
    for (unsigned role = 0; role < PART_ROLES; ++role) {
        const struct machine_part* part = machine->parts[role];
        if (part->named_for != NULL && !has_units(units, part->named_for))
            miss(part->named_for, part);
    }
    if (machine->kv_queue && !has_kv_queue(units))
        fatal(
            EXIT_REFUSED,
            "workload.machine.kv_queue: no attention block of this system has the key 'shares' (a "
            "second queue for another block's array); expected such a block, or no 'kv_queue'");
}

void units_open(struct units* units, const struct lowering* lowering)
{
    const struct machine* machine = lowering->machine;
    *units = (struct units){.machine = machine};
    units->queues = heap_take(system_info()->block_count * sizeof *units->queues, "the units");
    units->capacities =
        heap_take(system_info()->block_count * sizeof *units->capacities, "the units");
    sync_open();
    for (uint32_t i = 0; i < machine->part_count; ++i)
        if (machine->parts[i]->is_used == NULL || machine->parts[i]->is_used(lowering))
            add_part(units, machine->parts[i]);
    check_named(units);
    for (uint32_t i = 0; i < PART_OPERATIONS; ++i)
        if (machine->rows[i] != NULL && machine->rows[i]->unit != NULL)
            units->by_operation[i] = units_of(units, machine->rows[i]->unit);
    if (sync_counters() < units->count)
        fatal(EXIT_REFUSED, "the sync block has %lu counters; %lu are needed",
              (unsigned long)sync_counters(), (unsigned long)units->count);
}

/* Returns the units of a class. If no row of the first machine names this class, returns those of
 * the class that takes over its work. */
static const struct unit_range* units_beside(const struct units* units,
                                             const struct unit_class* unit_class)
{
    const struct unit_range* range = units_of(units, unit_class);
    return range != NULL || unit_class->otherwise == NULL ? range
                                                          : units_of(units, unit_class->otherwise);
}

void units_open_beside(struct units* units, const struct units* first,
                       const struct machine* machine)
{
    *units = *first;
    units->machine = machine;
    for (uint32_t i = 0; i < PART_OPERATIONS; ++i) {
        const struct row* row = machine->rows[i];
        const bool has_unit = row != NULL && row->unit != NULL;
        units->by_operation[i] = has_unit ? units_beside(units, row->unit) : NULL;
        if (has_unit && units->by_operation[i] == NULL && i < LLM_OPERATIONS)
            fatal(EXIT_REFUSED,
                  "workload.speculation.draft: machine %s needs a %s, which machine %s does not "
                  "use; expected no draft",
                  machine->name, row->unit->name, first->machine->name);
    }
}
