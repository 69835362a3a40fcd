// SPDX-License-Identifier: Apache-2.0
/* Allocation of the memories' bytes: an allocation never moves. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdint.h>

struct space {
    uint64_t next[LEVEE_MAX_MEMORIES]; /* first free byte of each memory */
    uint64_t end[LEVEE_MAX_MEMORIES];
};

/* Initialises the space to everything the platform does not use. Ends the run if a memory contains
 * code and has another role. */
void space_open(struct space* space);

/* Free bytes in `memory`; 0 if it is NULL. */
uint64_t space_room(const struct space* space, const struct levee_memory_info* memory);

/* Reserves `bytes` of `memory`, or all that is free if there is less. */
void space_reserve(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* Reserves in `space` everything that has been allocated since in `trial`, a copy of it. */
void space_reserve_taken(struct space* space, const struct space* trial);

/* Limits the reservations to those of `before`. */
void space_unreserve(struct space* space, const struct space* before);

/* Allocates also everything that has been allocated in `other`, a copy; the two share their
 * bytes. */
void space_take_both(struct space* space, const struct space* other);

/* The unallocated range, reserved or not: its beginning and its size in bytes. */
uint64_t space_first_free(const struct space* space, const struct levee_memory_info* memory);
uint64_t space_left(const struct space* space, const struct levee_memory_info* memory);

/* Bytes occupied by an allocation of `bytes`. */
uint64_t space_rounded(uint64_t bytes);

/* Allocates `bytes` in `memory`, which must have them free. */
uint64_t space_take(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* Returns the memory with role `wanted` if `bytes` fit in it, otherwise the one with role
 * `otherwise`. Ends the run, with `what` and the memory's name, if they fit in neither. */
const struct levee_memory_info* space_find(const struct space* space, uint32_t wanted,
                                           uint32_t otherwise, uint64_t bytes, const char* what);

/* Ends the run: `what` does not fit in `memory` (NULL: no memory has the role `role`). */
_Noreturn void space_refuse(const struct space* space, const struct levee_memory_info* memory,
                            const char* role, uint64_t bytes, const char* what);
