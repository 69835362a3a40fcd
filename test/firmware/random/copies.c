// SPDX-License-Identifier: Apache-2.0
#include "test/firmware/random/copies.h"

#include "ip/dma/regs.h"
#include "test/firmware/random/arena.h"

#include <stddef.h>
#include <string.h>

static uint8_t slot_after[ARENA_SLOT_BYTES];

/* The place where the first run of a copy's side (source or destination) begins: the bytes of its
 * slot, and the offset in the slot. */
struct side {
    uint8_t* bytes;
    int64_t offset;
};

static bool is_inside(int64_t offset, uint32_t bytes)
{
    return offset >= 0 && offset + (int64_t)bytes <= (int64_t)ARENA_SLOT_BYTES;
}

/* Copies a run in `slot_after`; returns false if the run leaves a slot. */
static bool copy_run(const struct levee_dma_operation* dma, bool fills, struct side to,
                     struct side from)
{
    if (!is_inside(to.offset, dma->run_bytes) || !is_inside(from.offset, dma->run_bytes))
        return false;
    if (fills)
        memset(to.bytes + to.offset, dma->fill, dma->run_bytes);
    else
        memcpy(to.bytes + to.offset, from.bytes + from.offset, dma->run_bytes);
    return true;
}

static bool copy_all(const struct levee_dma_operation* dma, bool fills, struct side to,
                     struct side from)
{
    for (uint32_t i = 0; i < dma->count[0]; ++i)
        for (uint32_t j = 0; j < dma->count[1]; ++j)
            for (uint32_t k = 0; k < dma->count[2]; ++k) {
                struct side run_to = to, run_from = from;
                run_to.offset += i * dma->destination_stride[0] + j * dma->destination_stride[1] +
                                 k * dma->destination_stride[2];
                if (!fills)
                    run_from.offset += i * dma->source_stride[0] + j * dma->source_stride[1] +
                                       k * dma->source_stride[2];
                if (!copy_run(dma, fills, run_to, run_from))
                    return false;
            }
    return true;
}

bool copy_is_right(const struct drawn* drawn)
{
    const struct levee_dma_operation* dma = (const void*)drawn->operation;
    const bool fills = drawn->opcode == LEVEE_DMA_FILL;
    uint32_t arena, slot, source_arena = 0, source_slot = 0;
    if (drawn->type->number != LEVEE_BLOCK_DMA || dma->source_index != 0 ||
        dma->destination_index != 0 || !arena_find(dma->destination, &arena, &slot))
        return true;
    if (!fills && (!arena_find(dma->source, &source_arena, &source_slot) ||
                   (source_arena == arena && source_slot == slot)))
        return true;
    const uint64_t at = arena_at(arena)->base + slot * ARENA_SLOT_BYTES;
    const uint64_t source_at = arena_at(source_arena)->base + source_slot * ARENA_SLOT_BYTES;
    memcpy(slot_after, arena_expected(slot), sizeof slot_after);
    const struct side to = {slot_after, (int64_t)(dma->destination - at)};
    const struct side from = {arena_expected(source_slot),
                              fills ? 0 : (int64_t)(dma->source - source_at)};
    return !copy_all(dma, fills, to, from) || arena_holds(arena, slot, slot_after);
}
