// SPDX-License-Identifier: Apache-2.0
/* The system the program runs on: a copy of boot_info, its blocks by type, its memories by role,
 * and the core's view of them. */
#pragma once

#include "core/abi/boot_info.h"

#include <stddef.h>
#include <stdint.h>

/* Default bits of keys and values. */
#define SYSTEM_KV_BITS 16u

/* Called before main: copies and checks boot_info and initialises interrupts. */
void system_open(void);
const struct levee_boot_info* system_info(void);

/* Bits that an element of a key or a value is to have. */
uint32_t system_kv_bits(void);

/* The scheduler that the scenario names, or its parts: "flash+systolic". For messages. */
const char* system_scheduler(void);

/* First block of this type, or NULL. */
const struct levee_block_info* system_block(uint32_t type);

/* Next block of the same type, or NULL. */
const struct levee_block_info* system_block_after(const struct levee_block_info* block);

/* First memory with any of these roles, or NULL. */
const struct levee_memory_info* system_memory(uint32_t roles);

/* Address of an object in the tightly coupled memory for accelerators. */
uint64_t bus_address(const void* object);

/* Address at which the core sees [address, address + bytes) of the accelerators' space; 0 if it
 * does not. */
uintptr_t core_window(uint64_t address, uint64_t bytes);

/* Copies `bytes` from the accelerators' space by words, since every access outside the tightly
 * coupled memory is slow. `address` and `bytes` are multiples of 4. Ends the run, with `what`,
 * if the core cannot address it. */
void copy_in(void* destination, uint64_t address, size_t bytes, const char* what);

/* Copies in the other direction, as for an example's weights; large amounts are the DMA engine's
 * work. */
void copy_out(uint64_t address, const void* source, size_t bytes, const char* what);

/* Allocates zeroed memory from the tightly coupled memory's heap, 64-byte aligned, never freed.
 * Ends the run, naming `what`, if none is left. */
void* heap_take(size_t bytes, const char* what);

/* Allocates from the same heap for malloc(), after the last allocation; NULL if none is left. */
void* heap_grow(size_t bytes);
