// SPDX-License-Identifier: Apache-2.0
/* The system on which the program runs: a copy of boot_info, the blocks by type, the memories by
 * role, and the addresses at which the core sees them. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Default number of bits of keys and values. */
#define SYSTEM_KV_BITS 16u

/* Copies and checks boot_info, and initialises interrupts. Called before main. */
void system_open(void);
const struct levee_boot_info* system_info(void);

/* Returns the number of bits for keys and values that the scenario sets. */
uint32_t system_kv_bits(void);

/* Returns whether keys, queries and values are multiplied by a Hadamard matrix. */
bool system_kv_hadamard(void);

/* Returns the name of the scheduler in the scenario, or of its parts ("flash+systolic"), for
 * messages. */
const char* system_scheduler(void);

/* Returns the first block of this type, or NULL. */
const struct levee_block_info* system_block(uint32_t type);

/* Next block of the same type, or NULL. */
const struct levee_block_info* system_block_after(const struct levee_block_info* block);

/* Returns the first memory with any of these roles, or NULL. */
const struct levee_memory_info* system_memory(uint32_t roles);

/* Returns the address at which accelerators see an object in the tightly coupled memory. */
uint64_t bus_address(const void* object);

/* Returns the address at which the core sees [address, address + bytes) of the accelerators' space;
 * 0 if the core cannot access it. */
uintptr_t core_window(uint64_t address, uint64_t bytes);

/* Copies `bytes` from the accelerators' space. It reads words, since every access outside the
 * tightly coupled memory is slow. `address` and `bytes` must be multiples of 4. If the core cannot
 * address the range, ends the run with a message that contains `what`. */
void copy_in(void* destination, uint64_t address, size_t bytes, const char* what);

/* Copies `bytes` to the accelerators' space. It is for small data, such as an example's weights.
 * Large data should be copied by the DMA engine. */
void copy_out(uint64_t address, const void* source, size_t bytes, const char* what);

/* Allocates zeroed memory from the heap in the tightly coupled memory. The memory is 64-byte
 * aligned and never freed. If none is left, ends the run with a message that contains `what`. */
void* heap_take(size_t bytes, const char* what);

/* Allocates from the same heap for malloc(). The memory follows the last allocation. Returns NULL
 * if none is left. */
void* heap_grow(size_t bytes);
