/* SPDX-License-Identifier: Apache-2.0 */
/* The core's data cache, for memory that blocks share with the core. Programs need these functions
 * only if the scenario sets `system.core.dcache.coherence: software`. Without a data cache they do
 * nothing. Each function handles whole lines, even those that the range only touches. Data that the
 * core writes and data that a block writes must therefore not share a line. */
#pragma once

#include "firmware/hal/csr.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the size of a cache line in bytes; 0 if there is no data cache. */
static inline uint32_t dcache_line_bytes(void)
{
    const uint32_t custom = 1u << ('X' - 'A'); /* bit of misa: the custom CSRs exist */
    const uint32_t geometry = CSR_READ(misa) & custom ? CSR_READ(0xFC1) : 0;
    return geometry == 0 ? 0 : 1u << (geometry & 0xFF);
}

/* Executes cbo.inval, cbo.clean or cbo.flush (Zicbom 1.0) for each line of [object, object +
 * bytes). */
#define DCACHE_FOR_LINES(object, bytes, operation)                                                 \
    do {                                                                                           \
        const uint32_t line_ = dcache_line_bytes();                                                \
        const uintptr_t end_ = (uintptr_t)(object) + (bytes);                                      \
        for (uintptr_t at_ = (uintptr_t)(object) & ~(uintptr_t)(line_ - 1);                        \
             line_ != 0 && at_ < end_; at_ += line_)                                               \
            __asm__ volatile(".insn i 0x0F, 2, x0, %0, " #operation ::"r"(at_) : "memory");        \
    } while (0)

/* Writes the core's data back to memory. Call it before a block reads these data. */
static inline void dcache_clean(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 1);
}

/* Invalidates the cache's lines, even dirty ones. Call it before the core reads data that a block
 * has written. */
static inline void dcache_invalidate(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 0);
}

/* Writes dirty lines back, then invalidates the lines. */
static inline void dcache_flush(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 2);
}
