// SPDX-License-Identifier: Apache-2.0
#include "test/firmware/random/station.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/timer.h"

#include <stdarg.h>
#include <stdio.h>

/* Reads the registers of a queue at once, and then after pauses, each twice as long as the
 * previous one. */
#define LOOKS_AT_ONCE 32u
#define LOOKS 48u

struct counts counts;

void finding(const struct station* station, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("finding %s: ", station->block->name);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    ++counts.findings;
}

static uint32_t get(const struct station* station, uint32_t offset)
{
    return mmio_read32(station->block->base + offset);
}

static void put(const struct station* station, uint32_t offset, uint32_t value)
{
    mmio_write32(station->block->base + offset, value);
}

static uint64_t time_now(const struct station* station)
{
    static uint64_t last, last_cycles;
    const uint64_t now = timer_ticks(), cycles = timer_cycles();
    if (now < last || cycles < last_cycles)
        finding(station, "time went back");
    last = now;
    last_cycles = cycles;
    return now;
}

void station_open(struct station* station, const struct levee_block_info* block,
                  const struct random_type* type)
{
    station->block = block;
    station->type = type;
    station->depth = get(station, LEVEE_CMD_FREE);
    station->first_known = true;
}

void station_submit(struct station* station, uint64_t address, uint32_t count, uint32_t tag)
{
    station->done = get(station, LEVEE_CMD_DONE_COUNT);
    station->first_tag = tag;
    station->count = count;
    __asm__ volatile("fence" ::: "memory");
    put(station, LEVEE_CMD_ADDRESS_HI, (uint32_t)(address >> 32));
    put(station, LEVEE_CMD_ADDRESS_LO, (uint32_t)address);
    put(station, LEVEE_CMD_SUBMIT, count);
}

/* Returns whether one of these bits appears in the queue's status before the last read. */
static bool reaches(const struct station* station, uint32_t bits)
{
    for (uint32_t look = 0; look < LOOKS; ++look) {
        const uint64_t now = time_now(station);
        if ((get(station, LEVEE_CMD_STATUS) & bits) != 0)
            return true;
        if (look >= LOOKS_AT_ONCE)
            timer_sleep_until(now + (1u << (look - LOOKS_AT_ONCE)));
    }
    return false;
}

/* The error registers must name a descriptor that was submitted, and a byte of it. */
static void check_error(struct station* station, const struct outcome* outcome)
{
    const uint32_t index = get(station, LEVEE_CMD_ERROR_INDEX);
    const uint32_t tag = get(station, LEVEE_CMD_ERROR_TAG);
    if (outcome->code > LEVEE_ERROR_VERSION || outcome->code == LEVEE_ERROR_NONE)
        finding(station, "stopped with the code %lu", (unsigned long)outcome->code);
    if (outcome->field >= LEVEE_DESCRIPTOR_BYTES + RANDOM_OPERATION_BYTES)
        finding(station, "error in byte %lu", (unsigned long)outcome->field);
    if ((get(station, LEVEE_CMD_IRQ_STATUS) & LEVEE_CMD_IRQ_ERROR) == 0)
        finding(station, "stopped without its error interrupt");
    if (outcome->code == LEVEE_ERROR_OVERFLOW)
        return;
    if (station->first_known && index != station->first + outcome->completed)
        finding(station, "error at descriptor %lu, expected %lu", (unsigned long)index,
                (unsigned long)(station->first + outcome->completed));
    if (outcome->code > LEVEE_ERROR_MAGIC && outcome->code != LEVEE_ERROR_FETCH &&
        tag != station->first_tag + outcome->completed)
        finding(station, "error with the tag %lu, expected %lu", (unsigned long)tag,
                (unsigned long)(station->first_tag + outcome->completed));
    station->first = index + 1;
    station->first_known = true;
}

static void reset(struct station* station)
{
    put(station, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    const uint32_t code = get(station, LEVEE_CMD_ERROR_CODE);
    const uint32_t status = get(station, LEVEE_CMD_STATUS);
    /* An operation that was running ends as it would without a reset, and may interrupt. */
    const uint32_t interrupts = get(station, LEVEE_CMD_IRQ_STATUS) & LEVEE_CMD_IRQ_ERROR;
    if (code != LEVEE_ERROR_NONE || interrupts != 0 || (status & LEVEE_CMD_STATUS_STOPPED) != 0)
        finding(station, "a reset does not clear the error: code %lu, interrupts %lu, status %lu",
                (unsigned long)code, (unsigned long)interrupts, (unsigned long)status);
    if (get(station, LEVEE_CMD_FREE) != station->depth)
        finding(station, "a reset does not empty the queue");
    station->is_occupied = !reaches(station, LEVEE_CMD_STATUS_EMPTY);
}

struct outcome station_wait(struct station* station, bool may_wait)
{
    const bool ends = reaches(station, LEVEE_CMD_STATUS_EMPTY | LEVEE_CMD_STATUS_STOPPED);
    struct outcome outcome = {ANSWER_DONE, 0, get(station, LEVEE_CMD_ERROR_CODE),
                              get(station, LEVEE_CMD_ERROR_FIELD)};
    outcome.completed = get(station, LEVEE_CMD_DONE_COUNT) - station->done;
    if (outcome.code == LEVEE_ERROR_OVERFLOW)
        station->count = 1; /* The doorbell was wrong, so the queue has taken no descriptor. */
    counts.submitted += station->count;
    counts.completed += outcome.completed;
    station->completed += outcome.completed;
    if (!ends) {
        outcome.answer = ANSWER_WAITS;
        counts.waits += 1;
        counts.dropped += station->count - outcome.completed;
        if (!may_wait)
            finding(station, "does not end");
        station->first_known = false;
        reset(station);
        /* An operation that was running has ended by now, as it would without a reset. */
        const uint32_t more =
            get(station, LEVEE_CMD_DONE_COUNT) - station->done - outcome.completed;
        station->completed += more;
        counts.completed += more;
        counts.dropped -= more;
        return outcome;
    }
    if ((get(station, LEVEE_CMD_STATUS) & LEVEE_CMD_STATUS_STOPPED) != 0) {
        outcome.answer = ANSWER_REFUSED;
        check_error(station, &outcome);
        counts.refused += 1;
        station->refused += 1;
        counts.dropped += station->count - outcome.completed - 1;
        reset(station);
        return outcome;
    }
    if (outcome.code != LEVEE_ERROR_NONE)
        finding(station, "has the error %lu and has not stopped", (unsigned long)outcome.code);
    if (outcome.completed != station->count)
        finding(station, "is empty after %lu of %lu descriptors", (unsigned long)outcome.completed,
                (unsigned long)station->count);
    station->first += station->count;
    return outcome;
}

void station_abort(struct station* station)
{
    reset(station);
    const uint32_t completed = get(station, LEVEE_CMD_DONE_COUNT) - station->done;
    counts.submitted += station->count;
    counts.completed += completed;
    counts.dropped += station->count - completed;
    station->completed += completed;
    station->first_known = false;
    station->was_aborted = true;
}

uint32_t station_executed(const struct station* station)
{
    const uint32_t executed = get(station, LEVEE_CMD_DONE_COUNT);
    if (executed != station->completed && !station->is_occupied)
        finding(station, "has executed %lu descriptors, expected %lu", (unsigned long)executed,
                (unsigned long)station->completed);
    return executed;
}
