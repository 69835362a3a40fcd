// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/space.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/system.h"

#include <stddef.h>

#define ALIGNMENT 64u

static unsigned index_of(const struct levee_memory_info* memory)
{
    return (unsigned)(memory - system_info()->memories);
}

void space_open(struct space* space)
{
    const uint32_t data_roles =
        LEVEE_ROLE_KV | LEVEE_ROLE_ACTIVATIONS | LEVEE_ROLE_SPILL | LEVEE_ROLE_STATE;
    const struct levee_boot_info* info = system_info();
    for (uint32_t i = 0; i < info->memory_count; ++i) {
        const struct levee_memory_info* memory = &info->memories[i];
        if ((memory->roles & LEVEE_ROLE_CODE) && (memory->roles & data_roles))
            fatal(EXIT_REFUSED, "memory %s holds code and its heap: it can have no other role",
                  memory->name);
        space->next[i] = memory->free_base;
        space->end[i] = memory->base + memory->size;
    }
}

uint64_t space_rounded(uint64_t bytes)
{
    return (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

uint64_t space_room(const struct space* space, const struct levee_memory_info* memory)
{
    if (memory == NULL)
        return 0;
    const unsigned index = index_of(memory);
    const uint64_t next = space->next[index], end = space->end[index];
    return next < end ? end - next : 0;
}

void space_reserve(struct space* space, const struct levee_memory_info* memory, uint64_t bytes)
{
    const uint64_t room = space_room(space, memory);
    space->end[index_of(memory)] -= bytes < room ? bytes : room;
}

void space_reserve_taken(struct space* space, const struct space* trial)
{
    for (unsigned i = 0; i < LEVEE_MAX_MEMORIES; ++i)
        space->end[i] -= trial->next[i] - space->next[i];
}

void space_unreserve(struct space* space, const struct space* before)
{
    for (unsigned i = 0; i < LEVEE_MAX_MEMORIES; ++i)
        space->end[i] = before->end[i];
}

void space_take_both(struct space* space, const struct space* other)
{
    for (unsigned i = 0; i < LEVEE_MAX_MEMORIES; ++i)
        if (other->next[i] > space->next[i])
            space->next[i] = other->next[i];
}

uint64_t space_first_free(const struct space* space, const struct levee_memory_info* memory)
{
    return space->next[index_of(memory)];
}

uint64_t space_left(const struct space* space, const struct levee_memory_info* memory)
{
    const uint64_t end = memory->base + memory->size;
    const uint64_t next = space_first_free(space, memory);
    return next < end ? end - next : 0;
}

uint64_t space_take(struct space* space, const struct levee_memory_info* memory, uint64_t bytes)
{
    uint64_t* next = &space->next[index_of(memory)];
    const uint64_t address = *next;
    *next += space_rounded(bytes);
    return address;
}

static const char* role_name(uint32_t role)
{
    switch (role) {
    case LEVEE_ROLE_KV:
        return "kv";
    case LEVEE_ROLE_ACTIVATIONS:
        return "activations or spill";
    case LEVEE_ROLE_STATE:
        return "state or spill";
    default:
        return "spill";
    }
}

const struct levee_memory_info* space_find(const struct space* space, uint32_t wanted,
                                           uint32_t otherwise, uint64_t bytes, const char* what)
{
    const struct levee_memory_info* memory = system_memory(wanted);
    if (space_room(space, memory) < bytes)
        memory = system_memory(otherwise);
    if (space_room(space, memory) < bytes)
        space_refuse(space, memory, role_name(wanted), bytes, what);
    return memory;
}

void space_refuse(const struct space* space, const struct levee_memory_info* memory,
                  const char* role, uint64_t bytes, const char* what)
{
    if (memory == NULL)
        fatal(EXIT_REFUSED, "%s need a memory with the role %s; there is none", what, role);
    fatal(EXIT_REFUSED,
          "%s need %lu KiB; memory %s has %lu KiB left: "
          "a shorter context, a smaller batch or a larger memory is needed (or, for a DRAM, "
          "allow_overcommit)",
          what, (unsigned long)((bytes + 1023) >> 10), memory->name,
          (unsigned long)(space_room(space, memory) >> 10));
}
