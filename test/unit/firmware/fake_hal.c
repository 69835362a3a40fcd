// SPDX-License-Identifier: Apache-2.0
/* A fake HAL: the tables of boot_info, the memory that the core sees, a heap, and the host link. */
#include "firmware/hal/fatal.h"
#include "firmware/hal/hostlink.h"
#include "firmware/hal/system.h"
#include "test/unit/firmware/fake_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

_Noreturn void fatal(enum exit_code code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fake.outcome->message, sizeof fake.outcome->message, format, arguments);
    va_end(arguments);
    longjmp(fake.end, code);
}

const struct levee_boot_info* system_info(void)
{
    return &fake.info;
}

const char* system_scheduler(void)
{
    return fake.info.scheduler;
}

uint32_t system_kv_bits(void)
{
    return fake.info.codes.bits != 0 ? fake.info.codes.bits : SYSTEM_KV_BITS;
}

bool system_kv_hadamard(void)
{
    return fake.info.rotation.hadamard != 0;
}

const struct levee_memory_info* system_memory(uint32_t roles)
{
    for (uint32_t i = 0; i < fake.info.memory_count; ++i)
        if (fake.info.memories[i].roles & roles)
            return &fake.info.memories[i];
    return NULL;
}

const struct levee_block_info* system_block(uint32_t type)
{
    for (uint32_t i = 0; i < fake.info.block_count; ++i)
        if (fake.info.blocks[i].type == (uint32_t)type)
            return &fake.info.blocks[i];
    return NULL;
}

const struct levee_block_info* system_block_after(const struct levee_block_info* block)
{
    for (uint32_t i = (uint32_t)(block - fake.info.blocks) + 1; i < fake.info.block_count; ++i)
        if (fake.info.blocks[i].type == block->type)
            return &fake.info.blocks[i];
    return NULL;
}

uint64_t bus_address(const void* object)
{
    return (uintptr_t)object;
}

uintptr_t core_window(uint64_t address, uint64_t bytes)
{
    const uint64_t base = (uintptr_t)fake.backing;
    const bool inside = address >= base && address + bytes <= base + IMAGE_BYTES + TOKENS_BYTES;
    return inside ? (uintptr_t)address : 0;
}

void copy_in(void* destination, uint64_t address, size_t bytes, const char* what)
{
    if (core_window(address, bytes) == 0)
        fatal(EXIT_REFUSED, "%s is outside the window", what);
    memcpy(destination, (const void*)(uintptr_t)address, bytes);
}

void* heap_take(size_t bytes, const char* what)
{
    const size_t rounded = (bytes + 63) & ~(size_t)63;
    if (rounded > fake.heap_bytes - fake.heap_used)
        fatal(EXIT_REFUSED, "%s needs %zu bytes", what, bytes);
    void* block = fake.heap + fake.heap_used;
    fake.heap_used += rounded;
    return block;
}

void hostlink_phase(enum levee_phase phase)
{
    (void)phase;
}

void hostlink_begin(enum levee_mark kind, uint32_t index)
{
    (void)kind, (void)index;
}

void hostlink_times(int32_t times)
{
    (void)times;
}

void hostlink_end(void) {}

void hostlink_metric_u64(const char* name, uint64_t value)
{
    if (strcmp(name, "kv.slots") == 0)
        fake.outcome->reported_slots = value;
}

void hostlink_metric_f64(const char* name, double value)
{
    (void)name, (void)value;
}
