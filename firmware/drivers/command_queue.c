// SPDX-License-Identifier: Apache-2.0
#include "firmware/drivers/command_queue.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"

static uint32_t get(const struct command_queue* queue, uint32_t offset)
{
    return mmio_read32(queue->block->base + offset);
}

static void put(const struct command_queue* queue, uint32_t offset, uint32_t value)
{
    mmio_write32(queue->block->base + offset, value);
}

static const char* error_name(enum levee_command_error code)
{
    static const char* const names[] = {
        [LEVEE_ERROR_NONE] = "none",         [LEVEE_ERROR_MAGIC] = "magic",
        [LEVEE_ERROR_OPCODE] = "opcode",     [LEVEE_ERROR_FIELD] = "field",
        [LEVEE_ERROR_ADDRESS] = "address",   [LEVEE_ERROR_TYPE] = "type",
        [LEVEE_ERROR_OVERFLOW] = "overflow", [LEVEE_ERROR_COUNTER] = "counter",
        [LEVEE_ERROR_STREAM] = "stream",     [LEVEE_ERROR_FETCH] = "fetch",
    };
    return (unsigned)code < sizeof names / sizeof *names ? names[code] : "unknown";
}

static void end_run(struct command_queue* queue, const struct command_error* error)
{
    fatal(EXIT_BLOCK, "block %s stopped: error %u (%s) at byte %lu of descriptor %lu, tag 0x%08lx",
          queue->block->name, (unsigned)error->code, error_name(error->code),
          (unsigned long)error->field, (unsigned long)error->index, (unsigned long)error->tag);
}

static void on_interrupt(void* context)
{
    struct command_queue* queue = context;
    uint32_t status = get(queue, LEVEE_CMD_IRQ_STATUS);
    put(queue, LEVEE_CMD_IRQ_STATUS, status);
    if (status & LEVEE_CMD_IRQ_ERROR) {
        struct command_error error = {
            .code = (enum levee_command_error)get(queue, LEVEE_CMD_ERROR_CODE),
            .index = get(queue, LEVEE_CMD_ERROR_INDEX),
            .field = get(queue, LEVEE_CMD_ERROR_FIELD),
            .tag = get(queue, LEVEE_CMD_ERROR_TAG),
        };
        queue->on_error(queue, &error);
    }
}

void command_queue_open(struct command_queue* queue, uint32_t type, const char* what)
{
    command_queue_open_block(queue, system_block(type), what);
}

void command_queue_open_block(struct command_queue* queue, const struct levee_block_info* block,
                              const char* what)
{
    queue->block = block;
    if (block == NULL)
        fatal(EXIT_REFUSED, "this system has no %s", what);
    if (get(queue, LEVEE_CMD_ID) != block->type)
        fatal(EXIT_REFUSED, "block %s at 0x%08lx does not identify itself as a %s",
              queue->block->name, (unsigned long)queue->block->base, what);
    queue->on_error = end_run;
    command_queue_reset(queue);
    put(queue, LEVEE_CMD_IRQ_ENABLE, LEVEE_CMD_IRQ_DONE | LEVEE_CMD_IRQ_ERROR);
    irq_attach(queue->block->irq, on_interrupt, queue);
}

void command_queue_reset(struct command_queue* queue)
{
    put(queue, LEVEE_CMD_CONTROL, LEVEE_CMD_CONTROL_RESET);
    queue->depth = get(queue, LEVEE_CMD_FREE);
    queue->done = get(queue, LEVEE_CMD_DONE_COUNT);
    queue->submitted = queue->done;
    queue->address_hi = 0;
    put(queue, LEVEE_CMD_ADDRESS_HI, 0);
}

uint32_t command_queue_room(struct command_queue* queue, uint32_t wanted)
{
    uint32_t room = queue->depth - (queue->submitted - queue->done);
    if (room < wanted) {
        queue->done = get(queue, LEVEE_CMD_DONE_COUNT);
        room = queue->depth - (queue->submitted - queue->done);
    }
    return room;
}

void command_queue_submit(struct command_queue* queue, const struct levee_descriptor* first,
                          uint32_t count)
{
    uint64_t address = bus_address(first);
    uint32_t high = (uint32_t)(address >> 32);
    /* The fence makes descriptors and their tables visible in memory before the block can read
     * them. */
    __asm__ volatile("fence" ::: "memory");
    if (high != queue->address_hi) {
        put(queue, LEVEE_CMD_ADDRESS_HI, high);
        queue->address_hi = high;
    }
    put(queue, LEVEE_CMD_ADDRESS_LO, (uint32_t)address);
    put(queue, LEVEE_CMD_SUBMIT, count);
    queue->submitted += count;
}
