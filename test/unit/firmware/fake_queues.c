// SPDX-License-Identifier: Apache-2.0
/* Fake command queues, sync unit and interrupt. Blocks "execute" by counting. */
#include "firmware/drivers/command_queue.h"
#include "firmware/drivers/evictor.h"
#include "firmware/drivers/rsa.h"
#include "firmware/drivers/sfu.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/llm/operation.h"
#include "ip/cam/regs.h"
#include "ip/dma/regs.h"
#include "ip/element_serial/regs.h"
#include "ip/flash/regs.h"
#include "ip/veda/regs.h"
#include "ip/voting_engine/regs.h"
#include "test/unit/firmware/fake_state.h"

void sync_open(void) {}

uint32_t sync_counters(void)
{
    return FAKE_UNITS;
}

uint32_t sync_read(uint32_t counter)
{
    return fake.counters[counter];
}

void sync_set(uint32_t counter, uint32_t value)
{
    fake.counters[counter] = value;
}

static void compare(void)
{
    if (fake.armed && (int32_t)(fake.counters[fake.armed_counter] - fake.armed_value) >= 0) {
        fake.armed = false;
        fake.reached = true;
        fake.interrupt = true;
    }
}

void sync_arm(uint32_t counter, uint32_t value)
{
    fake.armed_counter = counter;
    fake.armed_value = value;
    fake.armed = true;
    fake.reached = false;
    compare();
}

int sync_reached(void)
{
    return fake.reached;
}

static unsigned unit_of_array(const struct levee_block_info* block)
{
    unsigned before = 0;
    if (block->shares != 0)
        return FAKE_RSA_KV;
    for (const struct levee_block_info* other = fake.info.blocks; other != block; ++other)
        before += other->type == LEVEE_BLOCK_RSA && other->shares == 0;
    return before == 0 ? FAKE_RSA : FAKE_MORE_ARRAYS + before - 1;
}

/* Returns `first` for the first block of its type in the system, and the next number for any other
 * block. */
static unsigned unit_of_group(unsigned first, const struct levee_block_info* block)
{
    return first + (system_block(block->type) != block);
}

static unsigned unit_of(const struct levee_block_info* block)
{
    switch (block->type) {
    case LEVEE_BLOCK_VEDA:
        return unit_of_group(FAKE_VEDA, block);
    case LEVEE_BLOCK_ELEMENT_SERIAL:
        return unit_of_group(FAKE_SERIAL, block);
    case LEVEE_BLOCK_VOTING_ENGINE:
        return FAKE_VOTING;
    case LEVEE_BLOCK_CAM:
        return FAKE_CAM;
    case LEVEE_BLOCK_RSA:
        return unit_of_array(block);
    case LEVEE_BLOCK_SFU:
        return FAKE_SFU;
    case LEVEE_BLOCK_DMA:
        return FAKE_DMA;
    case LEVEE_BLOCK_FLASH:
        return FAKE_FLASH;
    default:
        return FAKE_SE;
    }
}

void command_queue_open(struct command_queue* queue, uint32_t type, const char* what)
{
    command_queue_open_block(queue, system_block(type), what);
}

void command_queue_open_block(struct command_queue* queue, const struct levee_block_info* block,
                              const char* what)
{
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no %s", what);
    queue->block = block;
    queue->depth = fake.queue_depth;
    queue->submitted = queue->done = 0;
    fake.drivers[unit_of(block)] = queue;
    fake.unit_of_counter[fake.opened++] = (uint8_t)unit_of(block);
}

uint32_t command_queue_room(struct command_queue* queue, uint32_t wanted)
{
    (void)wanted;
    return queue->depth - (queue->submitted - queue->done);
}

void command_queue_submit(struct command_queue* queue, const struct levee_descriptor* first,
                          uint32_t count)
{
    struct fake_queue* fifo = &fake.queues[unit_of(queue->block)];
    if (count > command_queue_room(queue, count))
        fatal((enum exit_code)STUCK, "more descriptors than the queue takes");
    for (uint32_t i = 0; i < count; ++i)
        fifo->pending[fifo->tail++ % 1024] = first + i;
    queue->submitted += count;
    ++fake.outcome->doorbells;
}

static bool ready(const struct levee_descriptor* descriptor)
{
    for (unsigned i = 0; i < 4; ++i) {
        const uint8_t counter = descriptor->wait_counter[i];
        if (counter != LEVEE_NO_COUNTER &&
            (int32_t)(fake.counters[counter] - descriptor->wait_value[i]) < 0)
            return false;
    }
    return true;
}

/* Token ids that are picked are small, so that the next embedding finds a row. */
static void write_picks(const struct levee_sfu_operation* operation)
{
    for (uint32_t entry = 0; entry < operation->outer[0]; ++entry)
        for (uint32_t row = 0; row < operation->rows; ++row) {
            struct pick* pick =
                (void*)(uintptr_t)(operation->out + entry * (uint64_t)operation->out_stride[0] +
                                   row * (uint64_t)operation->out_stride[2]);
            pick->index = (pick->index + 1) % 7;
        }
}

/* Writes the number of used input rows that the job sets. */
static void write_used(const struct levee_se_operation* operation)
{
    if (operation->formats == 0)
        return;
    const struct levee_se_formats* formats = (const void*)(uintptr_t)operation->formats;
    for (uint32_t entry = 0; entry < operation->outer[0]; ++entry)
        *(uint32_t*)(uintptr_t)(formats->used + 4 * entry) =
            fake.input_rows_used + fake.input_rows_grow * (uint32_t)(fake.step + 1);
}

/* Replaces the counters that firmware assigned to units by the units themselves. */
static struct levee_descriptor with_units(const struct levee_descriptor* descriptor)
{
    struct levee_descriptor named = *descriptor;
    for (unsigned i = 0; i < LEVEE_DESCRIPTOR_WAITS; ++i)
        if (named.wait_counter[i] != LEVEE_NO_COUNTER)
            named.wait_counter[i] = fake.unit_of_counter[named.wait_counter[i]];
    for (unsigned i = 0; i < 2; ++i)
        if (named.signal_counter[i] != LEVEE_NO_COUNTER)
            named.signal_counter[i] = fake.unit_of_counter[named.signal_counter[i]];
    return named;
}

static void note_lengths(const struct levee_rsa_operation* operation)
{
    for (uint32_t entry = 0; operation->lengths != 0 && entry < operation->outer[0]; ++entry) {
        const uint64_t address =
            operation->lengths + (uint64_t)entry * operation->lengths_stride[0];
        const uint32_t length = *(const uint32_t*)(uintptr_t)address;
        if (length < fake.outcome->least_length)
            fake.outcome->least_length = length;
    }
}

static void execute(unsigned unit)
{
    struct fake_queue* fifo = &fake.queues[unit];
    struct levee_descriptor descriptor = *fifo->pending[fifo->head++ % 1024];
    struct fake_outcome* outcome = fake.outcome;
    if (outcome->executed_count < FAKE_MAX_EXECUTED && fake.step >= fake.recorded_from)
        outcome->executed[outcome->executed_count++] =
            (struct fake_executed){with_units(&descriptor), unit, fake.step};
    if (unit == FAKE_SFU && descriptor.opcode >= LEVEE_SFU_ARGMAX &&
        descriptor.opcode <= LEVEE_SFU_LOG_PROB)
        write_picks(sfu_operation(&descriptor));
    if (descriptor.opcode == LEVEE_RSA_GEMM && (unit == FAKE_RSA || unit == FAKE_RSA_KV))
        note_lengths(rsa_operation(&descriptor));
    for (unsigned i = 0; i < 2; ++i)
        if (descriptor.signal_counter[i] != LEVEE_NO_COUNTER)
            fake.counters[descriptor.signal_counter[i]] += descriptor.signal_add[i];
    if (unit == FAKE_SE && descriptor.opcode != LEVEE_SE_ACCUMULATE)
        write_used(evictor_operation(&descriptor));
    ++fake.drivers[unit]->done;
    fake.interrupt |= (descriptor.flags & LEVEE_DESC_IRQ) != 0;
    compare();
}

static bool can_go_on(unsigned unit)
{
    const struct fake_queue* fifo = &fake.queues[unit];
    return fifo->head != fifo->tail && ready(fifo->pending[fifo->head % 1024]);
}

/* Runs blocks until one interrupts. Returns false if none can continue. */
static bool run_to_interrupt(void)
{
    static const unsigned in_turn[2][FAKE_UNITS] = {
        {FAKE_SFU, FAKE_DMA, FAKE_SE, FAKE_RSA_KV, FAKE_RSA, 5, 6, 7, 8, 9, 10, FAKE_FLASH,
         FAKE_VOTING, 13, 14, 15, 16, FAKE_CAM},
        {FAKE_CAM, 16, 15, 14, 13, FAKE_VOTING, FAKE_FLASH, 10, 9, 8, 7, 6, 5, FAKE_RSA,
         FAKE_RSA_KV, FAKE_SE, FAKE_DMA, FAKE_SFU}};
    while (!fake.interrupt) {
        unsigned i = 0;
        while (i < FAKE_UNITS && !can_go_on(in_turn[fake.rsa_first][i]))
            ++i;
        if (i == FAKE_UNITS)
            return false;
        execute(in_turn[fake.rsa_first][i]);
    }
    fake.interrupt = false;
    return true;
}

void irq_wait_until(bool (*condition)(void* context), void* context)
{
    while (!condition(context)) {
        if (!run_to_interrupt())
            fatal((enum exit_code)STUCK, "asleep, and no block can go on");
        ++fake.outcome->wakeups;
    }
}
