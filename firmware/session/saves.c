// SPDX-License-Identifier: Apache-2.0
#include "firmware/session/saves.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "firmware/target/opening.h"

#include <stddef.h>

#define KEY "workload.save"

static const struct levee_memory_info* memory_at(uint64_t base)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i)
        if (info->memories[i].base == base)
            return &info->memories[i];
    fatal(EXIT_REFUSED, KEY ": no memory begins at the address of the saved data");
}

static uint64_t pack(struct saves* saves, struct session* session, uint32_t tokens,
                     enum packing_way way)
{
    const struct pass entry = session_pass(session, 0, 1, 1);
    return copies_pack(&saves->copies, &entry, &saves->packing, tokens, way);
}

/* Returns the memory into which saved data are packed. For a flash this is the spill memory, and
 * `bytes` is rounded up to whole pages. */
static const struct levee_memory_info* place_of(struct saves* saves, struct session* session,
                                                uint64_t* bytes)
{
    const struct levee_block_info* flash = pages_flash(saves->packing.memory);
    if (flash == NULL)
        return saves->packing.memory;
    saves->pages = heap_take(sizeof *saves->pages, "what is saved");
    pages_open(saves->pages, flash, &session->model, &session->units, *bytes, KEY);
    *bytes = pages_rounded(saves->pages, *bytes);
    return system_memory(LEVEE_ROLE_SPILL);
}

struct saves* saves_open(struct session* session, uint64_t base)
{
    struct space* space = &session->placement.space;
    struct saves* saves = heap_take(sizeof *saves, "what is saved");
    saves->packing.memory = memory_at(base);
    copies_open(&saves->copies, &session->placement.cache, &session->units, KEY);
    if (!copies_can(&saves->copies))
        fatal(EXIT_REFUSED, KEY ": there is no DMA engine to copy keys and values; expected a "
                                "block of type dma");
    if (machine_refreshes(saves->packing.memory))
        fatal(EXIT_REFUSED, KEY ": memory %s refreshes its contents; expected one without refresh",
              saves->packing.memory->name);
    uint64_t bytes = pack(saves, session, session->placement.context, PACKING_COUNTS);
    if (bytes == 0)
        fatal(EXIT_REFUSED,
              KEY ": memory %s already holds all keys and values; expected another memory",
              saves->packing.memory->name);
    const struct levee_memory_info* memory = place_of(saves, session, &bytes);
    if (space_room(space, memory) < bytes)
        space_refuse(space, memory, "", bytes, KEY ": saved keys and values");
    saves->packing.address = space_take(space, memory, bytes);
    if (saves->pages != NULL)
        pages_place(saves->pages, saves->packing.address, bytes, saves->copies.queue);
    return saves;
}

void saves_put(struct saves* saves, struct session* session)
{
    saves->position = session->entries[0].position;
    saves->written = session->written[0];
    hostlink_request(LEVEE_REQUEST_SAVE, saves->position);
    saves->bytes += pack(saves, session, saves->position, PACKING_SAVES);
    if (saves->pages != NULL) {
        saves->packed = pack(saves, session, saves->position, PACKING_COUNTS);
        pages_put(saves->pages, saves->packed);
    }
    hostlink_request(LEVEE_REQUEST_MOVED, saves->position);
    ++saves->count;
    session_forget(session);
    session_begin_again(session);
}

void saves_get(struct saves* saves, struct session* session)
{
    hostlink_request(LEVEE_REQUEST_RESUME, saves->position);
    if (saves->pages != NULL)
        pages_get(saves->pages, saves->packed);
    (void)pack(saves, session, saves->position, PACKING_RESUMES);
    hostlink_request(LEVEE_REQUEST_MOVED, saves->position);
    session->entries[0].position = saves->position;
    session->written[0] = saves->written;
}

void saves_report(const struct saves* saves)
{
    hostlink_metric_u64("turns.saved", saves->count);
    hostlink_metric_u64("turns.saved_bytes", saves->bytes);
}
