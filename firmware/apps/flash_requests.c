// SPDX-License-Identifier: Apache-2.0
/* Runs one flash operation, so that a timeline can show its requests (run --trace timeline
 * --trace-inside). The operation has four read-computes per core, and also reads one page of each
 * channel's second plane for the NPU. The variant flash_requests_alone has only the read-computes
 * (Cambricon-LLM, figure 6). The contents of the pages do not matter. */
#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/flash.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"

enum { tiles = 4, counter = 0 };
static struct levee_descriptor descriptor __attribute__((aligned(8)));

static bool reached(void* context)
{
    (void)context;
    return sync_reached();
}

/* Returns the number of columns of a page of weights. With one core per channel, a square page
 * needs the fewest transfers. */
static uint32_t side_of(uint32_t page_bytes)
{
    uint32_t side = 1;
    while (4 * side * side <= page_bytes)
        side *= 2;
    return side;
}

static void describe(uint32_t base, const struct levee_memory_info* memory)
{
    struct levee_flash_operation* operation = flash_operation(&descriptor);
    const uint32_t channels = mmio_read32(base + LEVEE_FLASH_CHANNELS);
    const uint32_t page_bytes = mmio_read32(base + LEVEE_FLASH_PAGE_BYTES);
    const uint32_t side = side_of(page_bytes);
    descriptor_init(&descriptor, LEVEE_FLASH_COMPUTE, 1);
    operation->core_columns = side;
    operation->core_rows = page_bytes / side;
    operation->columns = channels * side;
    operation->rows = tiles * mmio_read32(base + LEVEE_FLASH_DIES) * operation->core_rows;
    operation->weight_bits = 8;
    operation->input_bytes = 1;
    operation->result_bytes = 1; /* the paper's size of a result */
    operation->result_shift = 7;
    operation->input = memory->free_base;
    operation->result = operation->input + operation->columns;
#ifndef LEVEE_NO_READS
    if (mmio_read32(base + LEVEE_FLASH_PLANES) < 2)
        fatal(EXIT_REFUSED, "this flash has no second plane to read from");
    operation->data_plane = 1;
    operation->data_pages = channels;
    operation->data = operation->result + 4ull * operation->rows;
#endif
    descriptor_signal(&descriptor, 0, counter);
}

int main(void)
{
    static struct command_queue flash;
    const struct levee_memory_info* memory = system_memory(LEVEE_ROLE_KV);
    if (memory == NULL)
        fatal(EXIT_REFUSED, "this system has no memory for keys and values");
    sync_open();
    flash_open(&flash);
    describe(flash.block->base, memory);
    sync_arm(counter, 1);
    command_queue_submit(&flash, &descriptor, 1);
    irq_wait_until(reached, NULL);
    return 0;
}
