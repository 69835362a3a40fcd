// SPDX-License-Identifier: Apache-2.0
/* Submits random descriptors to every queue of the system. Standard input has the seed and the
 * number of rounds. Prints each finding, and how many descriptors of each operation were
 * executed. The exit code is 1 if there is a finding. */
#include "firmware/hal/hostlink.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "test/firmware/random/arena.h"
#include "test/firmware/random/copies.h"
#include "test/firmware/random/draw.h"
#include "test/firmware/random/station.h"

#include <stdio.h>
#include <string.h>

#define RESTARTS 6u
#define TRIES 16u                /* Tries per descriptor, with refused fields drawn again. */
#define LOOKS_AFTER_REFUSALS 12u /* Percentage of refusals checked; a check takes 1 ms. */
#define TOGETHER 4u
#define ROUNDS_BETWEEN_LOOKS 32u

static struct station stations[LEVEE_MAX_BLOCKS];
static uint32_t station_count;
static struct drawn accepted[RANDOM_TYPES][RANDOM_OPCODES]; /* The last accepted operation. */
static struct submission submissions[LEVEE_MAX_BLOCKS][TOGETHER];
static uint32_t tag = 0x52000000u;
static unsigned long has_data;

static void open_stations(void)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->block_count; ++i) {
        const struct random_type* type = draw_type(info->blocks[i].type);
        if (type != NULL)
            station_open(&stations[station_count++], &info->blocks[i], type);
    }
}

/* Returns whether a wrong operation is still running because it took too long to wait for. Such an
 * operation may write to other memories later. */
static bool is_any_occupied(void)
{
    for (uint32_t i = 0; i < station_count; ++i)
        if (stations[i].is_occupied)
            return true;
    return false;
}

/* Checks that no byte has changed outside the slots that an operation names. If `drawn` is NULL,
 * no byte may have changed. */
static void look(const struct station* station, uint32_t arena, const struct drawn* drawn)
{
    uint32_t offset;
    if (arena != 0 && is_any_occupied())
        return;
    const uint32_t written = drawn != NULL ? draw_slots(drawn, arena) : 0;
    if (arena_intact(arena, written, &offset))
        return;
    finding(station, "%s has overwritten byte 0x%lx of slot %lu in %s",
            drawn != NULL ? "operation" : "refused descriptor",
            (unsigned long)(offset % ARENA_SLOT_BYTES), (unsigned long)(offset / ARENA_SLOT_BYTES),
            arena_at(arena)->name);
    if (drawn != NULL)
        draw_print(drawn);
    arena_restore(arena);
}

/* Checks only named arenas, except the first, because the core reads other memories slowly. */
static void look_around(const struct station* station, const struct drawn* drawn, bool was_executed)
{
    look(station, 0, was_executed ? drawn : NULL);
    for (uint32_t arena = 1; arena < arena_count(); ++arena)
        if (was_executed && draw_slots(drawn, arena) != 0)
            look(station, arena, drawn);
}

static void look_everywhere(void)
{
    for (uint32_t arena = 0; arena < arena_count(); ++arena)
        look(&stations[0], arena, NULL);
}

static void restore_others(void)
{
    for (uint32_t arena = 1; arena < arena_count(); ++arena)
        arena_restore(arena);
}

static struct drawn* accepted_of(const struct station* station, uint32_t opcode)
{
    return &accepted[station->type - random_types][opcode];
}

static struct outcome run(struct station* station, const struct drawn* drawn, bool may_wait)
{
    struct submission* submission = &submissions[0][0];
    draw_encode(drawn, tag, submission);
    station_submit(station, bus_address(submission), 1, tag++);
    return station_wait(station, may_wait);
}

/* Runs an operation and draws fields again that the block refuses. Returns false if the block
 * refuses the operation in every try. */
static bool try_operation(struct station* station, struct drawn* drawn, uint32_t opcode)
{
    for (uint32_t tries = 0; tries < TRIES; ++tries) {
        draw_bounded(drawn);
        const struct outcome outcome = run(station, drawn, false);
        const bool is_refused = outcome.answer == ANSWER_REFUSED;
        if (outcome.answer == ANSWER_DONE && has_data && !copy_is_right(drawn)) {
            finding(station, "copy has left other bytes than it must");
            draw_print(drawn);
        }
        if (!is_refused || draw_chance(LOOKS_AFTER_REFUSALS))
            look_around(station, drawn, !is_refused);
        if (outcome.answer == ANSWER_DONE) {
            *accepted_of(station, opcode) = *drawn;
            ++station->accepted[opcode];
        }
        if (!is_refused)
            return true;
        draw_again(drawn, outcome.field);
    }
    return false;
}

/* Submits a well-formed descriptor, either new or similar to the last one that the block has
 * executed. */
static void well_formed(struct station* station)
{
    const uint32_t opcode = draw_below(station->type->opcode_count);
    const struct drawn* last = accepted_of(station, opcode);
    for (uint32_t start = 0; start < RESTARTS; ++start) {
        struct drawn drawn;
        draw_operation(&drawn, station->type, station->type->opcodes[opcode]);
        if (last->type != NULL && draw_chance(60)) {
            drawn = *last;
            for (uint32_t times = 1 + draw_below(3); times != 0; --times)
                draw_any(&drawn);
        }
        if (try_operation(station, &drawn, opcode))
            return;
    }
}

/* Draws a descriptor with wrong fields, based on one that the block has executed, if there is
 * any. */
static bool draw_malformed(struct station* station, struct drawn* drawn)
{
    const uint32_t opcode = draw_below(station->type->opcode_count);
    *drawn = *accepted_of(station, opcode);
    if (drawn->type == NULL)
        draw_operation(drawn, station->type, station->type->opcodes[opcode]);
    if (!draw_move_away(drawn))
        return false;
    draw_wrong(drawn);
    return draw_move_away(drawn);
}

/* Sets bytes of the head to random values, including waits and signals. */
static bool corrupt_head(struct submission* submission)
{
    uint8_t* bytes = (uint8_t*)&submission->descriptor;
    for (uint32_t times = 1 + draw_below(2); times != 0; --times)
        bytes[draw_below(sizeof submission->descriptor - 176)] =
            (uint8_t)(draw_chance(50) ? draw_below(8) : draw());
    return submission->descriptor.indirect[0].source == 0 &&
           submission->descriptor.indirect[1].source == 0;
}

static void indirect(struct submission* submission)
{
    const struct arena* arena = arena_at(draw_below(arena_count()));
    submission->descriptor.indirect[draw_below(2)] = (struct levee_indirect){
        arena->base + draw_below(arena->slots) * ARENA_SLOT_BYTES + 4 * draw_below(16),
        (int32_t)draw_below(9) - 4, (uint16_t)(draw_below(300)), draw_chance(80) ? 4 : 8};
}

static bool is_in_core_memory(uint64_t address)
{
    const struct levee_memory_info* core = system_memory(LEVEE_ROLE_CODE);
    return core != NULL && address - core->base < core->size;
}

/* Returns an address anywhere except in the core's memory. */
static uint64_t descriptor_address(void)
{
    const struct arena* arena = arena_at(draw_below(arena_count()));
    const uint64_t address = draw_chance(50) ? (uint64_t)draw() << 32 | draw() : draw();
    return draw_chance(50)              ? arena->base + draw_below(ARENA_SLOT_BYTES)
           : is_in_core_memory(address) ? 0
                                        : address;
}

static void malformed(struct station* station)
{
    struct submission* submission = &submissions[0][0];
    struct drawn drawn;
    if (!draw_malformed(station, &drawn))
        return;
    draw_encode(&drawn, tag, submission);
    if (draw_chance(20))
        corrupt_head(submission);
    else if (draw_chance(20))
        indirect(submission);
    const uint32_t first = submission->descriptor.tag;
    if (draw_chance(5))
        station_submit(station, descriptor_address(), 1, first);
    else
        station_submit(station, bus_address(submission),
                       draw_chance(3) ? station->depth + draw_below(4) * 1000 + 1 : 1, first);
    ++tag;
    const struct outcome outcome = station_wait(station, true);
    look(station, 0, NULL);
    if (outcome.answer == ANSWER_REFUSED) {
        if (draw_chance(12))
            look_everywhere();
    } else {
        restore_others();
    }
}

static void draw_one_of_several(struct station* station, struct submission* submission)
{
    const uint32_t opcode = draw_below(station->type->opcode_count);
    struct drawn drawn = *accepted_of(station, opcode);
    if (drawn.type == NULL || draw_chance(20))
        draw_malformed(station, &drawn);
    draw_move_away(&drawn);
    if (draw_chance(30))
        draw_stream(&drawn);
    draw_encode(&drawn, tag++, submission);
    struct levee_descriptor* descriptor = &submission->descriptor;
    for (uint32_t i = 0; i < 2; ++i) {
        if (draw_chance(30)) {
            descriptor->wait_counter[i] = (uint8_t)draw_below(3);
            descriptor->wait_value[i] = draw_below(3);
        }
        if (draw_chance(50)) {
            descriptor->signal_counter[i] = (uint8_t)draw_below(3);
            descriptor->signal_add[i] = (uint16_t)draw_below(3);
            descriptor->signal_every[i] = draw_below(3);
        }
    }
    if (draw_chance(20))
        descriptor->flags = LEVEE_DESC_IRQ;
}

/* Submits several descriptors to each of some queues, which run at the same time and may wait for
 * each other. Descriptors are 256 bytes apart, without space for continuations, so all of them have
 * version 1. */
static void several(void)
{
    static struct levee_descriptor rings[LEVEE_MAX_BLOCKS][TOGETHER];
    bool is_in[LEVEE_MAX_BLOCKS] = {false};
    for (uint32_t counter = 0; counter < 3; ++counter)
        sync_set(counter, 0);
    for (uint32_t i = 0; i < station_count; ++i) {
        if (stations[i].is_occupied || draw_chance(50))
            continue;
        is_in[i] = true;
        const uint32_t first = tag, count = 1 + draw_below(TOGETHER);
        for (uint32_t j = 0; j < count; ++j) {
            draw_one_of_several(&stations[i], &submissions[i][j]);
            rings[i][j] = submissions[i][j].descriptor;
        }
        station_submit(&stations[i], bus_address(rings[i]), count, first);
    }
    for (uint32_t i = 0; i < station_count; ++i)
        if (is_in[i] && draw_chance(20))
            station_abort(&stations[i]);
        else if (is_in[i])
            (void)station_wait(&stations[i], true);
    look(&stations[0], 0, NULL);
    restore_others();
}

static void one_round(void)
{
    struct station* station = &stations[draw_below(station_count)];
    const uint32_t kind = draw_below(100);
    if (kind >= 90 && arena_count() > 1)
        several();
    else if (station->is_occupied)
        return;
    else if (kind < 60)
        well_formed(station);
    else
        malformed(station);
}

static void report(void)
{
    for (uint32_t i = 0; i < station_count; ++i) {
        const struct station* station = &stations[i];
        printf("queue %s %lu %lu%s\n", station->block->name,
               (unsigned long)station_executed(station), (unsigned long)station->refused,
               station->was_aborted ? " at least" : "");
        for (uint32_t j = 0; j < station->type->opcode_count; ++j)
            printf("executed %s.%s %lu\n", station->type->name, station->type->names[j],
                   (unsigned long)station->accepted[j]);
    }
    hostlink_metric_u64("random.submitted", counts.submitted);
    hostlink_metric_u64("random.completed", counts.completed);
    hostlink_metric_u64("random.refused", counts.refused);
    hostlink_metric_u64("random.dropped", counts.dropped);
    hostlink_metric_u64("random.waits", counts.waits);
    hostlink_metric_u64("random.findings", counts.findings);
    if (counts.submitted != counts.completed + counts.refused + counts.dropped)
        finding(&stations[0], "descriptors were lost");
}

int main(void)
{
    unsigned long seed, rounds;
    if (scanf("%lu %lu %lu", &seed, &rounds, &has_data) != 3) {
        printf("expected a seed, a number of rounds, and 0 or 1 in the standard input\n");
        return 2;
    }
    draw_seed((uint32_t)seed);
    open_stations();
    if (station_count == 0)
        return 0;
    arena_open();
    sync_open();
    for (unsigned long round = 0; round < rounds; ++round) {
        one_round();
        if (round % ROUNDS_BETWEEN_LOOKS == ROUNDS_BETWEEN_LOOKS - 1)
            look_everywhere();
    }
    look_everywhere();
    report();
    return counts.findings != 0;
}
