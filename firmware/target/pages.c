// SPDX-License-Identifier: Apache-2.0
#include "firmware/target/pages.h"

#include "firmware/drivers/descriptor.h"
#include "firmware/drivers/flash.h"
#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"
#include "firmware/hal/sync.h"
#include "firmware/hal/system.h"
#include "firmware/llm/model.h"
#include "firmware/target/slots/dma_copy.h"

#include <stddef.h>
#include <string.h>

#define MOST_FILLED (1u << 30)
#define COUNTER 0u /* every pass begins with this counter at 0 */

const struct levee_block_info* pages_flash(const struct levee_memory_info* memory)
{
    const struct levee_block_info* flash = system_block(LEVEE_BLOCK_FLASH);
    while (flash != NULL && strcmp(flash->name, memory->name) != 0)
        flash = system_block_after(flash);
    return flash;
}

static uint64_t parts(uint64_t size, uint64_t part)
{
    return (size + part - 1) / part;
}

static uint32_t larger(uint32_t a, uint64_t b)
{
    return b > a ? (uint32_t)b : a;
}

/* Returns the number of the first page behind the matrices, in the plane that stores the data. */
static uint32_t first_free(const struct pages* pages, uint32_t base, const struct model* model)
{
    const uint32_t channels = mmio_read32(base + LEVEE_FLASH_CHANNELS);
    const struct levee_model_header* header = &model->header;
    uint32_t free = 0;
    for (uint32_t i = 0; i < header->kept_count; ++i) {
        struct levee_flash_kept kept;
        copy_in(&kept, model->address + header->kept_offset + i * sizeof kept, sizeof kept,
                "the records of kept matrices");
        const struct levee_flash_matrix matrix =
            levee_flash_matrix_of_kept(&kept, channels, pages->row / channels);
        const struct levee_flash_tiling tiling = levee_flash_tiling_of(&matrix);
        if (kept.plane == pages->plane && kept.flash_rows != 0)
            free = larger(free, kept.page + levee_flash_tile_count(&tiling));
        if (kept.data_plane == pages->plane)
            free = larger(free, kept.data_page + parts(kept.data_pages, pages->row));
    }
    return free;
}

static struct command_queue* queue_of(struct pages* pages, const struct units* units,
                                      const struct levee_block_info* flash)
{
    for (uint32_t i = 0; i < units->count; ++i)
        if (units->queues[i].block == flash)
            return &units->queues[i];
    command_queue_open_block(&pages->own, flash, "flash");
    return &pages->own;
}

void pages_open(struct pages* pages, const struct levee_block_info* flash,
                const struct model* model, const struct units* units, uint64_t bytes,
                const char* key)
{
    const uint32_t base = flash->base;
    const uint32_t most = mmio_read32(base + LEVEE_FLASH_PLANE_PAGES);
    pages->queue = queue_of(pages, units, flash);
    pages->page_bytes = mmio_read32(base + LEVEE_FLASH_PAGE_BYTES);
    pages->row = mmio_read32(base + LEVEE_FLASH_CHANNELS) * mmio_read32(base + LEVEE_FLASH_DIES);
    pages->block = mmio_read32(base + LEVEE_FLASH_BLOCK_PAGES);
    pages->plane = (uint8_t)(mmio_read32(base + LEVEE_FLASH_PLANES) - 1);
    const uint64_t numbers =
        parts(parts(bytes, pages->page_bytes), pages->row * pages->block) * pages->block;
    const uint64_t kept = parts(first_free(pages, base, model), pages->block) * pages->block;
    if (kept + numbers > most)
        fatal(EXIT_REFUSED,
              "%s: saved keys and values need %lu pages of each die of flash %s, in whole blocks; "
              "its last plane has %lu left",
              key, (unsigned long)numbers, flash->name,
              (unsigned long)(kept < most ? most - kept : 0));
    pages->first = most - (uint32_t)numbers;
}

uint64_t pages_rounded(const struct pages* pages, uint64_t bytes)
{
    return parts(bytes, pages->page_bytes) * pages->page_bytes;
}

static bool is_done(void* context)
{
    (void)context;
    return sync_reached();
}

/* Submits the descriptor to the flash and sleeps until it has completed. */
static void finish(struct pages* pages, struct command_queue* queue)
{
    descriptor_signal(&pages->descriptor, 0, COUNTER);
    sync_set(COUNTER, 0);
    sync_arm(COUNTER, 1);
    command_queue_submit(queue, &pages->descriptor, 1);
    irq_wait_until(is_done, NULL);
}

void pages_place(struct pages* pages, uint64_t address, uint64_t bytes, struct command_queue* dma)
{
    pages->address = address;
    for (uint64_t from = 0; from < bytes; from += MOST_FILLED) {
        const uint64_t rest = bytes - from;
        descriptor_init(&pages->descriptor, 0, LEVEE_DMA_FILL);
        (void)dma_fill(&pages->descriptor, false, address + from,
                       rest < MOST_FILLED ? (uint32_t)rest : MOST_FILLED, 0);
        finish(pages, dma);
    }
}

static void run(struct pages* pages, uint8_t opcode, uint32_t first, uint64_t from, uint32_t count)
{
    descriptor_init(&pages->descriptor, opcode, opcode);
    struct levee_flash_operation* operation = flash_operation(&pages->descriptor);
    operation->data = opcode != LEVEE_FLASH_ERASE ? pages->address + from * pages->page_bytes : 0;
    operation->data_page = first;
    operation->data_pages = count;
    operation->data_plane = pages->plane;
    finish(pages, pages->queue);
}

/* Runs operations of this kind one after another. Each operation covers at most one block of pages
 * of each die. */
static void run_all(struct pages* pages, uint8_t opcode, uint64_t bytes)
{
    const uint64_t all = parts(bytes, pages->page_bytes);
    const uint32_t at_once = pages->row * pages->block;
    for (uint64_t from = 0; from < all; from += at_once) {
        const uint64_t rest = all - from;
        const uint32_t count = rest < at_once ? (uint32_t)rest : at_once;
        run(pages, opcode, pages->first + (uint32_t)(from / pages->row), from, count);
    }
}

void pages_put(struct pages* pages, uint64_t bytes)
{
    run_all(pages, LEVEE_FLASH_ERASE, bytes);
    run_all(pages, LEVEE_FLASH_PROGRAM, bytes);
}

void pages_get(struct pages* pages, uint64_t bytes)
{
    run_all(pages, LEVEE_FLASH_READ, bytes);
}
