// SPDX-License-Identifier: Apache-2.0
/* Adds an operation to a program. One unit executes it as a whole, several units of one class
 * divide it, or several classes share it. */
#include "firmware/drivers/descriptor.h"
#include "firmware/target/program.h"

#include <stddef.h>
#include <string.h>

static lower_operation* patch_of(const struct addition* addition)
{
    return row_patch(addition->row, addition->operation);
}

static void add_whole(struct program* program, const struct addition* addition, uint32_t unit)
{
    const struct ordering ordering = {unit, slice_all, program->need};
    const uint32_t own = program->by_unit[unit].count + 1;
    hazards_order(&program->hazards, &ordering, addition->operation, own);
    struct levee_descriptor* descriptor =
        program_append(program, addition, unit, false, patch_of(addition));
    if (program->by_unit[unit].count != own) /* fences came before the descriptor */
        hazards_note(&program->hazards, &ordering, addition->operation,
                     program->by_unit[unit].count);
    addition->row->lower(addition->lowering, addition->pass, addition->operation, descriptor);
}

/* Copies the unit's operation into a descriptor, which keeps its own waits and signals. */
static void fill(struct levee_descriptor* descriptor, const struct levee_descriptor* lowered)
{
    descriptor->opcode = lowered->opcode;
    memcpy(descriptor->operation, lowered->operation, sizeof descriptor->operation);
}

static uint32_t sum_of(const uint32_t* capacities, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i)
        sum += capacities[i];
    return sum;
}

/* Divides an operation over several units in proportion to their speed. No unit waits for
 * another's share. */
static void add_shares(struct program* program, const struct addition* addition,
                       const struct levee_descriptor* whole, uint32_t pieces,
                       const struct unit_range* range)
{
    const uint32_t* capacities = &program->units->capacities[range->first];
    const uint32_t sum = sum_of(capacities, range->count);
    struct ordering shares[UNITS_MAX];
    uint32_t before = 0, count = 0;
    for (uint32_t i = 0; i < range->count; ++i) {
        struct share share = {pieces * before / sum, 0, i, range->count};
        before += capacities[i];
        share.to = pieces * before / sum;
        if (share.from == share.to)
            continue;
        struct levee_descriptor narrowed = *whole;
        const struct slice slice =
            addition->row->split->narrow(addition->lowering, &narrowed, &share);
        struct ordering* ordering = &shares[count++];
        *ordering = (struct ordering){range->first + i, addition->one_of_many ? slice_all : slice,
                                      program->need};
        hazards_wait(&program->hazards, ordering, addition->operation);
        struct levee_descriptor* descriptor =
            program_append(program, addition, ordering->unit, true, patch_of(addition));
        fill(descriptor, &narrowed);
    }
    for (uint32_t i = 0; i < count; ++i)
        hazards_note(&program->hazards, &shares[i], addition->operation,
                     program->by_unit[shares[i].unit].count);
}

__attribute__((noinline)) static void add_divided(struct program* program,
                                                  const struct addition* addition,
                                                  const struct unit_range* range)
{
    const struct row* row = addition->row;
    struct levee_descriptor whole;
    descriptor_init(&whole, 0, 0);
    row->lower(addition->lowering, addition->pass, addition->operation, &whole);
    const uint32_t pieces = row->split->pieces(addition->lowering, &whole, range->count);
    const struct unit_range sharing = {range->first, pieces < range->count ? pieces : range->count};
    if (sharing.count == 1)
        add_whole(program, addition, range->first);
    else
        add_shares(program, addition, &whole, pieces, &sharing);
}

static bool takes(const struct partner* partner, const struct addition* addition)
{
    return partner->takes(addition->lowering, addition->pass, addition->operation);
}

/* Parallel groups of units. Each group has one unit of every class that has a share. The groups
 * divide the operation's pieces. */
struct groups {
    uint32_t count, pieces;
    bool shared; /* several units execute the operation */
};

static struct groups groups_of(const struct program* program, const struct addition* addition)
{
    const struct partners* partners = addition->row->partners;
    struct groups groups = {1, 1, false};
    uint32_t taking = 0;
    if (partners->pieces != NULL)
        groups.pieces = partners->pieces(addition->lowering, addition->pass, addition->operation);
    groups.count = groups.pieces;
    for (uint32_t i = 0; i < partners->count; ++i) {
        const struct partner* partner = &partners->list[i];
        const uint32_t units = units_of(program->units, partner->unit)->count;
        if (!takes(partner, addition))
            continue;
        ++taking;
        groups.count = units < groups.count ? units : groups.count;
    }
    groups.shared = taking > 1 || groups.count > 1;
    return groups;
}

/* Makes the descriptor of a partner in one of the groups. Returns the slice that it writes. */
static struct slice lower_share(const struct addition* addition, const struct partner* partner,
                                const struct groups* groups, uint32_t group,
                                struct levee_descriptor* descriptor)
{
    const struct share share = {groups->pieces * group / groups->count,
                                groups->pieces * (group + 1) / groups->count, group, groups->count};
    partner->lower(addition->lowering, addition->pass, addition->operation, descriptor);
    if (groups->count == 1)
        return slice_all;
    const struct slice slice = partner->narrow(addition->lowering, descriptor, &share);
    return addition->one_of_many ? slice_all : slice;
}

/* Divides an operation over units of different classes. No unit waits for another's share. */
__attribute__((noinline)) static void add_partners(struct program* program,
                                                   const struct addition* addition)
{
    const struct partners* partners = addition->row->partners;
    const struct groups groups = groups_of(program, addition);
    struct ordering shares[PARTNERS_MAX * UNITS_MAX];
    uint32_t count = 0;
    for (uint32_t group = 0; group < groups.count; ++group)
        for (uint32_t i = 0; i < partners->count; ++i) {
            const struct partner* partner = &partners->list[i];
            if (!takes(partner, addition))
                continue;
            struct levee_descriptor lowered;
            descriptor_init(&lowered, 0, 0);
            const struct slice slice = lower_share(addition, partner, &groups, group, &lowered);
            const uint32_t unit = units_of(program->units, partner->unit)->first + group;
            struct ordering* ordering = &shares[count++];
            *ordering = (struct ordering){unit, slice, program->need};
            hazards_wait(&program->hazards, ordering, addition->operation);
            fill(program_append(program, addition, unit, groups.shared, partner->patch), &lowered);
        }
    for (uint32_t i = 0; i < count; ++i)
        hazards_note(&program->hazards, &shares[i], addition->operation,
                     program->by_unit[shares[i].unit].count);
}

void program_add(struct program* program, const struct addition* addition)
{
    const struct row* row = addition->row;
    if (row->partners != NULL) {
        add_partners(program, addition);
        return;
    }
    const struct unit_range* range = program->units->by_operation[addition->operation->kind];
    if (row->split == NULL || range->count == 1)
        add_whole(program, addition, range->first);
    else
        add_divided(program, addition, range);
}
