// SPDX-License-Identifier: Apache-2.0
/* The system this program finds itself in: a copy of boot_info, its blocks by type, its memories by
 * role, and what of them the core can see. */
#pragma once

#include "ip/common/boot_info.h"

#include <stddef.h>
#include <stdint.h>

/* Called before main: copies and checks boot_info and makes interrupts ready. */
void system_open(void);
const struct levee_boot_info* system_info(void);

/* First block of this type, or NULL. */
const struct levee_block_info* system_block(enum levee_block_type type);

/* The next one of the same type, or NULL. */
const struct levee_block_info* system_block_after(const struct levee_block_info* block);

/* First memory with any of these roles, or NULL. */
const struct levee_memory_info* system_memory(uint32_t roles);

/* An object in the tightly coupled memory as accelerators address it. */
uint64_t bus_address(const void* object);

/* Where the core sees [address, address + bytes) of the accelerators' space; 0 if it does not. */
uintptr_t core_window(uint64_t address, uint64_t bytes);

/* Copies `bytes` from the accelerators' space word by word: nothing outside the tightly coupled
 * memory is worth touching twice. `address` and `bytes` are multiples of 4. Ends the run, naming
 * `what`, if the core cannot see it. */
void copy_in(void* destination, uint64_t address, size_t bytes, const char* what);

/* The other way round, as for the weights of an example; large amounts are the DMA engine's work.
 */
void copy_out(uint64_t address, const void* source, size_t bytes, const char* what);

/* Zeroed memory from the tightly coupled memory's heap, 64-byte aligned, never given back. Ends the
 * run, naming `what`, if there is none left. */
void* heap_take(size_t bytes, const char* what);
