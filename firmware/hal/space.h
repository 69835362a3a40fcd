// SPDX-License-Identifier: Apache-2.0
/* Handing out the memories' bytes: what has been placed stays where it is. */
#pragma once

#include "ip/common/boot_info.h"

#include <stdint.h>

struct space {
    uint64_t next[LEVEE_MAX_MEMORIES]; /* first free byte of each memory */
    uint64_t end[LEVEE_MAX_MEMORIES];
};

/* Everything the platform has not used. Ends the run if a memory holds code and has another role.
 */
void space_open(struct space* space);

/* Bytes free in `memory`; 0 if it is NULL. */
uint64_t space_room(const struct space* space, const struct levee_memory_info* memory);

/* Keeps `bytes` of `memory` from being taken, as far as it has them. */
void space_reserve(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* Keeps from being taken in `space` what `trial`, a copy of it, has had taken since. */
void space_reserve_taken(struct space* space, const struct space* trial);

/* Reserves no more than `before` did. */
void space_unreserve(struct space* space, const struct space* before);

/* Takes what has been taken in `other`, a copy of it, too; the two share their bytes. */
void space_take_both(struct space* space, const struct space* other);

/* What has not been taken, reserved or not: where it begins and how many bytes. */
uint64_t space_first_free(const struct space* space, const struct levee_memory_info* memory);
uint64_t space_left(const struct space* space, const struct levee_memory_info* memory);

/* Bytes that `bytes` take. */
uint64_t space_rounded(uint64_t bytes);

/* Takes `bytes` of `memory`, which has them. */
uint64_t space_take(struct space* space, const struct levee_memory_info* memory, uint64_t bytes);

/* The memory with role `wanted` if it has room for `bytes`, else the one with role `otherwise`.
 * Ends the run, naming `what` and the memory, if neither has. */
const struct levee_memory_info* space_find(const struct space* space, uint32_t wanted,
                                           uint32_t otherwise, uint64_t bytes, const char* what);

/* Ends the run: `what` does not fit in `memory` (NULL: there is none with the role `role`). */
_Noreturn void space_refuse(const struct space* space, const struct levee_memory_info* memory,
                            const char* role, uint64_t bytes, const char* what);
