// SPDX-License-Identifier: Apache-2.0
/* Allocates bytes of the memories. An allocation never moves. */
#pragma once

#include "core/abi/boot_info.h"

#include <stdint.h>

struct space {
    uint64_t next[LEVEE_MAX_MEMORIES]; /* first free byte of each memory */
    uint64_t end[LEVEE_MAX_MEMORIES];
};

/* Initialises the space to all bytes that the platform does not use. Ends the run if a memory for
 * code also has a role for data. */
void space_open(struct space* space);

/* Free bytes in `memory`; 0 if it is NULL. */
uint64_t space_room(const struct space* space, const struct levee_memory_info* memory);

/* Reserves `bytes` of `memory`. If fewer are free, reserves all of them. */
void space_reserve(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* Reserves in `space` everything that has been allocated in its copy `trial` since this copy was
 * made. */
void space_reserve_taken(struct space* space, const struct space* trial);

/* Reduces the reservations in `space` to those in `before`. */
void space_unreserve(struct space* space, const struct space* before);

/* Moves the end of allocations in `space` up to the end in its copy `other`. Allocations that were
 * made in the two spaces since the copy may use the same bytes. */
void space_take_both(struct space* space, const struct space* other);

/* space_first_free returns the beginning of the range that is not allocated. space_left returns the
 * size of this range in bytes. Part of the range may be reserved. */
uint64_t space_first_free(const struct space* space, const struct levee_memory_info* memory);
uint64_t space_left(const struct space* space, const struct levee_memory_info* memory);

/* Returns how many bytes an allocation of `bytes` occupies. */
uint64_t space_rounded(uint64_t bytes);

/* Allocates `bytes` in `memory`, which must have that many free bytes. */
uint64_t space_take(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* Returns the memory with the role `wanted` if `bytes` fit into it, otherwise the memory with the
 * role `otherwise`. If they fit into neither, ends the run with a message that contains `what` and
 * the memory's name. */
const struct levee_memory_info* space_find(const struct space* space, uint32_t wanted,
                                           uint32_t otherwise, uint64_t bytes, const char* what);

/* Ends the run because `what` does not fit in `memory` (NULL: no memory has the role `role`). */
_Noreturn void space_refuse(const struct space* space, const struct levee_memory_info* memory,
                            const char* role, uint64_t bytes, const char* what);
