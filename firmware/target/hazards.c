// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/hazards.h"

#include "firmware/hal/system.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void hazards_open(struct hazards* hazards, uint32_t units)
{
    struct touch* touches = heap_take(2 * CACHE_VALUES * units * sizeof *touches, "a program");
    hazards->units = units;
    for (unsigned value = 0; value < CACHE_VALUES; ++value, touches += 2 * units)
        hazards->values[value] = (struct hazard){touches, touches + units};
}

void hazards_unite(struct hazards* hazards, const uint8_t* ordered_with)
{
    for (unsigned value = 0; ordered_with != NULL && value < CACHE_VALUES; ++value)
        if (ordered_with[value] != VALUE_NONE)
            hazards->values[value] = hazards->values[ordered_with[value]];
}

void hazards_clear(struct hazards* hazards)
{
    struct touch* touches = hazards->values[0].written;
    memset(touches, 0, 2 * CACHE_VALUES * hazards->units * sizeof *touches);
}

static bool meets(const struct slice* a, const struct slice* b)
{
    if (a->measure != b->measure || a->measure == SLICE_ALL)
        return true;
    return a->from < b->to && b->from < a->to;
}

/* Returns the slice that an operation reads if it writes the slice `written`. Slices of columns
 * apply only to results: an operation that computes some columns reads its whole operands. */
static const struct slice* slice_read(const struct slice* written)
{
    return written->measure == SLICE_HEADS ? written : &slice_all;
}

static void wait_for(uint32_t* need, uint32_t units, const struct touch* touches,
                     const struct slice* slice)
{
    for (uint32_t unit = 0; unit < units; ++unit)
        if (touches[unit].count > need[unit] && meets(&touches[unit].slice, slice))
            need[unit] = touches[unit].count;
}

static void note(struct touch* touch, uint32_t own, const struct slice* slice)
{
    if (touch->count == 0) {
        touch->slice = *slice;
    } else if (touch->slice.measure != slice->measure || slice->measure == SLICE_ALL) {
        touch->slice.measure = SLICE_ALL;
    } else {
        if (slice->from < touch->slice.from)
            touch->slice.from = slice->from;
        if (slice->to > touch->slice.to)
            touch->slice.to = slice->to;
    }
    touch->count = own;
}

/* The arguments of a function that is called for each value that an operation reads or writes. */
struct visit {
    struct hazards* hazards;
    const struct ordering* ordering;
    uint32_t own;
};

static void wait_read(const struct visit* visit, unsigned value)
{
    wait_for(visit->ordering->need, visit->hazards->units, visit->hazards->values[value].written,
             slice_read(&visit->ordering->slice));
}

static void wait_write(const struct visit* visit, unsigned value)
{
    const struct hazard* hazard = &visit->hazards->values[value];
    const struct ordering* ordering = visit->ordering;
    wait_for(ordering->need, visit->hazards->units, hazard->written, &ordering->slice);
    wait_for(ordering->need, visit->hazards->units, hazard->read, &ordering->slice);
}

static void note_read(const struct visit* visit, unsigned value)
{
    note(&visit->hazards->values[value].read[visit->ordering->unit], visit->own,
         slice_read(&visit->ordering->slice));
}

static void note_write(const struct visit* visit, unsigned value)
{
    note(&visit->hazards->values[value].written[visit->ordering->unit], visit->own,
         &visit->ordering->slice);
}

typedef void visit_value(const struct visit* visit, unsigned value);

static void visit_set(const struct visit* visit, uint32_t values, visit_value* touch)
{
    for (unsigned value = 0; values != 0; ++value, values >>= 1)
        if (values & 1u)
            touch(visit, value);
}

static void visit_all(const struct visit* visit, const struct operation* operation,
                      visit_value* read, visit_value* write)
{
    write(visit, operation->writes);
    if (operation->reads[0] != VALUE_NONE)
        read(visit, operation->reads[0]);
    if (operation->reads[1] != VALUE_NONE)
        read(visit, operation->reads[1]);
    visit_set(visit, operation->also_reads, read);
    visit_set(visit, operation->also_writes, write);
}

/* Adds waits for the last access of every unit. An operation without slices conflicts with all
 * slices. */
static inline void wait_for_all(uint32_t* need, uint32_t units, const struct touch* touches)
{
    for (uint32_t unit = 0; unit < units; ++unit)
        if (touches[unit].count > need[unit])
            need[unit] = touches[unit].count;
}

static inline void note_all(struct touch* touch, uint32_t own)
{
    touch->count = own;
    touch->slice.measure = SLICE_ALL;
}

static inline void order_read(const struct hazards* hazards, const struct ordering* ordering,
                              unsigned value, uint32_t own)
{
    const struct hazard* hazard = &hazards->values[value];
    wait_for_all(ordering->need, hazards->units, hazard->written);
    note_all(&hazard->read[ordering->unit], own);
}

static inline void order_write(const struct hazards* hazards, const struct ordering* ordering,
                               unsigned value, uint32_t own)
{
    const struct hazard* hazard = &hazards->values[value];
    wait_for_all(ordering->need, hazards->units, hazard->written);
    wait_for_all(ordering->need, hazards->units, hazard->read);
    note_all(&hazard->written[ordering->unit], own);
}

void hazards_order(struct hazards* hazards, const struct ordering* ordering,
                   const struct operation* operation, uint32_t own)
{
    order_write(hazards, ordering, operation->writes, own);
    for (unsigned i = 0; i < 2; ++i)
        if (operation->reads[i] != VALUE_NONE)
            order_read(hazards, ordering, operation->reads[i], own);
    uint32_t reads = operation->also_reads;
    for (unsigned value = 0; reads != 0; ++value, reads >>= 1)
        if (reads & 1u)
            order_read(hazards, ordering, value, own);
    uint32_t writes = operation->also_writes;
    for (unsigned value = 0; writes != 0; ++value, writes >>= 1)
        if (writes & 1u)
            order_write(hazards, ordering, value, own);
    ordering->need[ordering->unit] = 0;
}

void hazards_wait(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation)
{
    visit_all(&(struct visit){hazards, ordering, 0}, operation, wait_read, wait_write);
    ordering->need[ordering->unit] = 0;
}

void hazards_note(struct hazards* hazards, const struct ordering* ordering,
                  const struct operation* operation, uint32_t own)
{
    visit_all(&(struct visit){hazards, ordering, own}, operation, note_read, note_write);
}
