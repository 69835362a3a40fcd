/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas are memory that descriptors may address, in the memories of the core and of the
 * accelerators. Their expected contents are known. An arena consists of slots. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdbool.h>
#include <stdint.h>

#define ARENA_SLOTS 16u
#define ARENA_SLOT_BYTES 8192u
/* Distance of operands from the start of their slot. */
#define ARENA_OPERAND_AT 1024u
/* Number of slots in a memory other than the core's, which the core reads slowly. */
#define ARENA_FAR_SLOTS 8u

struct arena {
    uint64_t base;    /* address in the accelerators' map */
    uintptr_t window; /* address in the core's map */
    uint32_t slots;
    const char* name;
};

/* Fills an arena in each memory that is large enough. The first is in the core's memory. */
void arena_open(void);
uint32_t arena_count(void);
const struct arena* arena_at(uint32_t number);

/* Finds the arena and slot of an address; returns false if it is in none. */
bool arena_find(uint64_t address, uint32_t* number, uint32_t* slot);
bool arena_is_near(uint64_t address);

/* Checks that all bytes that the operation must not write have their expected values. It may write
 * the slots of the set `written` from ARENA_OPERAND_AT on, and all of a slot if the previous slot
 * is also in the set. If the check fails, *offset is the first wrong byte. Restores the slots of
 * the set. */
bool arena_intact(uint32_t number, uint32_t written, uint32_t* offset);
void arena_restore(uint32_t number);

/* Returns the expected bytes of a slot, which are the same in all arenas. */
uint8_t* arena_expected(uint32_t slot);
/* Returns whether a slot has exactly these bytes. */
bool arena_holds(uint32_t number, uint32_t slot, const uint8_t* bytes);
