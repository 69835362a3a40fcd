// SPDX-License-Identifier: Apache-2.0
#include "test/firmware/random/arena.h"

#include "firmware/hal/mmio.h"
#include "firmware/hal/system.h"
#include "test/firmware/random/draw.h"

#include <stddef.h>
#include <string.h>

#define SLOT_WORDS (ARENA_SLOT_BYTES / 4)

static uint32_t near[ARENA_SLOTS][SLOT_WORDS] __attribute__((aligned(64)));
static uint32_t expected[ARENA_SLOTS][SLOT_WORDS];
static struct arena arenas[LEVEE_MAX_MEMORIES + 1];
static uint32_t count;

/* Returns words that operations can use: small numbers, FP32 from 0.5 to 1, random bits, or
 * zeros. */
static uint32_t content(uint32_t slot)
{
    switch (slot % 4) {
    case 0:
        return draw_below(4);
    case 1:
        return 0x3F000000u | (draw() & 0x007FFFFFu);
    case 2:
        return draw();
    default:
        return 0;
    }
}

static void add(const struct arena* arena)
{
    arenas[count] = *arena;
    arena_restore(count++);
}

void arena_open(void)
{
    const struct levee_boot_info* info = system_info();
    for (uint32_t slot = 0; slot < ARENA_SLOTS; ++slot)
        for (uint32_t i = 0; i < SLOT_WORDS; ++i)
            expected[slot][i] = content(slot);
    add(&(struct arena){bus_address(near), (uintptr_t)near, ARENA_SLOTS, "the core's memory"});
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        const uintptr_t window = core_window(memory->free_base, ARENA_FAR_SLOTS * ARENA_SLOT_BYTES);
        if (window != 0 && (memory->roles & LEVEE_ROLE_CODE) == 0)
            add(&(struct arena){memory->free_base, window, ARENA_FAR_SLOTS, memory->name});
    }
}

uint32_t arena_count(void)
{
    return count;
}

const struct arena* arena_at(uint32_t number)
{
    return &arenas[number];
}

bool arena_find(uint64_t address, uint32_t* number, uint32_t* slot)
{
    for (*number = 0; *number < count; ++*number) {
        const struct arena* arena = &arenas[*number];
        if (address < arena->base)
            continue;
        const uint64_t place = (address - arena->base) / ARENA_SLOT_BYTES;
        if (place >= arena->slots)
            continue;
        *slot = (uint32_t)place;
        return true;
    }
    return false;
}

bool arena_is_near(uint64_t address)
{
    return address - arenas[0].base < (uint64_t)ARENA_SLOTS * ARENA_SLOT_BYTES;
}

/* Returns the index of the first word in [first, last) that differs from its expected value; `last`
 * if none does. */
static uint32_t first_difference(const volatile uint32_t* found, const uint32_t* right,
                                 uint32_t first, uint32_t last)
{
    while (first < last && found[first] == right[first])
        ++first;
    return first;
}

/* A fast form of first_difference for the core's memory, where most words are compared. */
static uint32_t first_near_difference(const uint32_t* found, const uint32_t* right, uint32_t first,
                                      uint32_t last)
{
    for (; first + 4 <= last; first += 4)
        if (((found[first] ^ right[first]) | (found[first + 1] ^ right[first + 1]) |
             (found[first + 2] ^ right[first + 2]) | (found[first + 3] ^ right[first + 3])) != 0)
            break;
    return first_difference(found, right, first, last);
}

static void restore(const struct arena* arena, uint32_t slot)
{
    volatile uint32_t* to = (volatile uint32_t*)(arena->window + slot * ARENA_SLOT_BYTES);
    for (uint32_t i = 0; i < SLOT_WORDS; ++i)
        to[i] = expected[slot][i];
}

bool arena_intact(uint32_t number, uint32_t written, uint32_t* offset)
{
    const struct arena* arena = &arenas[number];
    for (uint32_t slot = 0; slot < arena->slots; ++slot) {
        const bool may_change = (written >> slot & 1) != 0;
        const bool may_continue = may_change && slot != 0 && (written >> (slot - 1) & 1) != 0;
        const uint32_t end = may_continue ? 0 : may_change ? ARENA_OPERAND_AT / 4 : SLOT_WORDS;
        const uintptr_t at = arena->window + slot * ARENA_SLOT_BYTES;
        const uint32_t* right = expected[slot];
        /* The blocks write these words, so the compiler must not cache them. */
        __asm__ volatile("" ::: "memory");
        const uint32_t word = number == 0
                                  ? first_near_difference((const uint32_t*)at, right, 0, end)
                                  : first_difference((const volatile uint32_t*)at, right, 0, end);
        *offset = slot * ARENA_SLOT_BYTES + 4 * word;
        if (word != end)
            return false;
        if (may_change)
            restore(arena, slot);
    }
    return true;
}

void arena_restore(uint32_t number)
{
    for (uint32_t slot = 0; slot < arenas[number].slots; ++slot)
        restore(&arenas[number], slot);
}

uint8_t* arena_expected(uint32_t slot)
{
    return (uint8_t*)expected[slot];
}

bool arena_holds(uint32_t number, uint32_t slot, const uint8_t* bytes)
{
    const volatile uint32_t* found =
        (const volatile uint32_t*)(arenas[number].window + slot * ARENA_SLOT_BYTES);
    for (uint32_t i = 0; i < SLOT_WORDS; ++i) {
        uint32_t right;
        memcpy(&right, bytes + 4 * i, sizeof right);
        if (found[i] != right)
            return false;
    }
    return true;
}
