// SPDX-License-Identifier: Apache-2.0
#include "firmware/hal/system.h"

#include "firmware/hal/fatal.h"
#include "firmware/hal/irq.h"
#include "firmware/hal/mmio.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static struct levee_boot_info info __asm__(LEVEE_BOOT_INFO_COPY);
static uint64_t tcm_offset; /* difference between the address for accelerators and the address
                             * for the core */

static void copy_words(void* destination, uintptr_t source, size_t bytes)
{
    uint32_t* words = destination;
    for (size_t i = 0; i < bytes / 4; ++i)
        words[i] = mmio_read32(source + 4 * i);
}

static void check_info(void)
{
    if (info.magic != LEVEE_BOOT_INFO_MAGIC || info.version != LEVEE_BOOT_INFO_VERSION ||
        info.bytes > sizeof info || info.bytes < offsetof(struct levee_boot_info, voting))
        fatal(EXIT_REFUSED, "boot info: magic %08lx, version %lu, %lu bytes; expected %08x, %u, %u",
              (unsigned long)info.magic, (unsigned long)info.version, (unsigned long)info.bytes,
              LEVEE_BOOT_INFO_MAGIC, LEVEE_BOOT_INFO_VERSION, (unsigned)sizeof info);
    if (info.block_count > LEVEE_MAX_BLOCKS || info.memory_count > LEVEE_MAX_MEMORIES)
        fatal(EXIT_REFUSED, "boot info: %lu blocks and %lu memories; expected at most %u and %u",
              (unsigned long)info.block_count, (unsigned long)info.memory_count, LEVEE_MAX_BLOCKS,
              LEVEE_MAX_MEMORIES);
}

static void check_tcm(void)
{
    extern char __stack[];
    const struct levee_memory_info* tcm = system_memory(LEVEE_ROLE_CODE);
    if (tcm == NULL)
        return;
    if (LEVEE_TCM_BASE + (uint32_t)tcm->size < (uint32_t)(uintptr_t)__stack)
        fatal(EXIT_REFUSED, "memory %s: %lu bytes; this program is linked for %lu", tcm->name,
              (unsigned long)tcm->size, (unsigned long)((uintptr_t)__stack - LEVEE_TCM_BASE));
    tcm_offset = tcm->base - LEVEE_TCM_BASE;
}

void system_open(void)
{
    const size_t policies = offsetof(struct levee_boot_info, voting); /* the part of boot_info that
                                                                         all programs require */
    copy_words(&info, LEVEE_BOOT_INFO_ADDRESS, policies);
    check_info();
    copy_words(&info.voting, LEVEE_BOOT_INFO_ADDRESS + policies, info.bytes - policies);
    check_tcm();
    irq_open();
}

const struct levee_boot_info* system_info(void)
{
    return &info;
}

const char* system_scheduler(void)
{
    static char parts[3 * LEVEE_NAME_BYTES];
    const char(*names)[LEVEE_NAME_BYTES] = info.parts.names;
    if (names[0][0] == 0)
        return info.scheduler;
    parts[0] = 0;
    for (unsigned role = 0; role < sizeof info.parts.names / sizeof *names; ++role) {
        if (names[role][0] == 0)
            continue;
        if (role != 0)
            strcat(parts, "+");
        strcat(parts, names[role]);
    }
    return parts;
}

uint32_t system_kv_bits(void)
{
    return info.codes.bits != 0 ? info.codes.bits : SYSTEM_KV_BITS;
}

bool system_kv_hadamard(void)
{
    return info.rotation.hadamard != 0;
}

const struct levee_block_info* system_block(uint32_t type)
{
    for (uint32_t i = 0; i < info.block_count; ++i)
        if (info.blocks[i].type == (uint32_t)type)
            return &info.blocks[i];
    return NULL;
}

const struct levee_block_info* system_block_after(const struct levee_block_info* block)
{
    for (uint32_t i = (uint32_t)(block - info.blocks) + 1; i < info.block_count; ++i)
        if (info.blocks[i].type == block->type)
            return &info.blocks[i];
    return NULL;
}

const struct levee_memory_info* system_memory(uint32_t roles)
{
    for (uint32_t i = 0; i < info.memory_count; ++i)
        if (info.memories[i].roles & roles)
            return &info.memories[i];
    return NULL;
}

uint64_t bus_address(const void* object)
{
    return (uintptr_t)object + tcm_offset;
}

uintptr_t core_window(uint64_t address, uint64_t bytes)
{
    for (uint32_t i = 0; i < info.memory_count; ++i) {
        const struct levee_memory_info* memory = &info.memories[i];
        if (memory->core_base == 0 || address < memory->base)
            continue;
        uint64_t offset = address - memory->base;
        if (offset <= memory->core_size && bytes <= memory->core_size - offset)
            return memory->core_base + (uintptr_t)offset;
    }
    return 0;
}

static uintptr_t window_or_end(uint64_t address, size_t bytes, const char* what)
{
    uintptr_t window = core_window(address, bytes);
    if (window == 0)
        fatal(EXIT_REFUSED, "%s: 0x%08lx%08lx is outside the memory that the core can address",
              what, (unsigned long)(address >> 32), (unsigned long)address);
    return window;
}

void copy_in(void* destination, uint64_t address, size_t bytes, const char* what)
{
    copy_words(destination, window_or_end(address, bytes, what), bytes);
}

void copy_out(uint64_t address, const void* source, size_t bytes, const char* what)
{
    uintptr_t window = window_or_end(address, bytes, what);
    const char* from = source;
    for (size_t i = 0; i < bytes; i += 4) {
        uint32_t word;
        memcpy(&word, from + i, sizeof word);
        mmio_write32(window + i, word);
    }
}

/* The heap has two stretches: one from the program to the stack, and one beyond the memory size for
 * which the program was linked. */
struct stretch {
    uintptr_t next, end;
};

static struct stretch* stretch_with(size_t bytes, struct stretch stretches[2])
{
    for (unsigned i = 0; i < 2; ++i)
        if (bytes <= stretches[i].end - stretches[i].next)
            return &stretches[i];
    return NULL;
}

/* Opens both stretches. malloc() uses the first one, too. */
static struct stretch* heap_open(void)
{
    extern char __heap_start[], __heap_end[], __stack[];
    /* This is a variable because the linker would otherwise shorten the address to a form that
     * cannot reach past all data. */
    static char* const volatile start = __heap_start;
    static struct stretch heap[2];
    if (heap[0].next == 0) {
        const struct levee_memory_info* tcm = system_memory(LEVEE_ROLE_CODE);
        const uintptr_t stack = (uintptr_t)__stack;
        heap[0] = (struct stretch){(uintptr_t)start, (uintptr_t)__heap_end};
        heap[1] = (struct stretch){stack, tcm ? LEVEE_TCM_BASE + (uint32_t)tcm->size : stack};
    }
    return heap;
}

void* heap_take(size_t bytes, const char* what)
{
    struct stretch* const heap = heap_open();
    const size_t rounded = (bytes + 63) & ~(size_t)63;
    const uintptr_t aligned = (heap->next + 63) & ~(uintptr_t)63; /* same alignment as in
                                                                     heap_grow() */
    heap->next = aligned < heap->end ? aligned : heap->end;
    struct stretch* from = rounded < bytes ? NULL : stretch_with(rounded, heap);
    if (from == NULL)
        fatal(EXIT_REFUSED,
              "%s: %lu bytes of tightly coupled memory are needed; the largest free pieces have "
              "%lu and %lu bytes",
              what, (unsigned long)bytes, (unsigned long)(heap[0].end - heap[0].next),
              (unsigned long)(heap[1].end - heap[1].next));
    void* block = (void*)from->next;
    from->next += rounded;
    return memset(block, 0, bytes);
}

void* heap_grow(size_t bytes)
{
    struct stretch* const heap = heap_open();
    if (bytes > heap->end - heap->next)
        return NULL;
    void* block = (void*)heap->next;
    heap->next += bytes;
    return block;
}
