/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes that descriptors may name, in the core's memory and in the accelerators', and their
 * expected contents. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdbool.h>
#include <stdint.h>

#define ARENA_SLOTS 16u
#define ARENA_SLOT_BYTES 8192u
/* Operands begin so far from the start of their slot. */
#define ARENA_OPERAND_AT 1024u
/* Slots of a memory other than the core's, since the core reads those slowly. */
#define ARENA_FAR_SLOTS 8u

struct arena {
    uint64_t base;    /* address for accelerators */
    uintptr_t window; /* for the core */
    uint32_t slots;
    const char* name;
};

/* Fills an arena in each memory that has room for one; the first is in the core's memory. */
void arena_open(void);
uint32_t arena_count(void);
const struct arena* arena_at(uint32_t number);

/* The arena and slot of an address; returns false if it lies in none. */
bool arena_find(uint64_t address, uint32_t* number, uint32_t* slot);
bool arena_is_near(uint64_t address);

/* Whether every byte is as expected, but those behind ARENA_OPERAND_AT in the slots of the set
 * `written`, and slots that follow one of the set and are in it, too. Otherwise *offset is the
 * first one that is not. Restores the slots of the set. */
bool arena_intact(uint32_t number, uint32_t written, uint32_t* offset);
void arena_restore(uint32_t number);

/* The expected bytes of a slot, the same in all arenas. */
uint8_t* arena_expected(uint32_t slot);
/* Whether a slot has exactly these bytes. */
bool arena_holds(uint32_t number, uint32_t slot, const uint8_t* bytes);
