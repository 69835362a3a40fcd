/* SPDX-License-Identifier: Apache-2.0 */
/* The core's data cache, for memory that blocks share with the core. These functions are needed
 * only with `system.core.dcache.coherence: software`. Without a data cache these functions do
 * nothing. Lines that a range only touches are treated whole: keep what the core and a block
 * write apart, each in lines of its own. */
#pragma once

#include "firmware/hal/csr.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of a line; 0: no data cache. */
static inline uint32_t dcache_line_bytes(void)
{
    const uint32_t custom = 1u << ('X' - 'A'); /* bit of misa: the custom CSRs exist */
    const uint32_t geometry = CSR_READ(misa) & custom ? CSR_READ(0xFC1) : 0;
    return geometry == 0 ? 0 : 1u << (geometry & 0xFF);
}

/* cbo.inval, cbo.clean, cbo.flush (Zicbom 1.0) of each line of [object, object + bytes). */
#define DCACHE_FOR_LINES(object, bytes, operation)                                                 \
    do {                                                                                           \
        const uint32_t line_ = dcache_line_bytes();                                                \
        const uintptr_t end_ = (uintptr_t)(object) + (bytes);                                      \
        for (uintptr_t at_ = (uintptr_t)(object) & ~(uintptr_t)(line_ - 1);                        \
             line_ != 0 && at_ < end_; at_ += line_)                                               \
            __asm__ volatile(".insn i 0x0F, 2, x0, %0, " #operation ::"r"(at_) : "memory");        \
    } while (0)

/* Writes the core's data back to memory before a block reads them. */
static inline void dcache_clean(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 1);
}

/* Invalidates the cache's lines, even dirty ones, before the core reads data that a block has
 * written. */
static inline void dcache_invalidate(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 0);
}

/* Both. */
static inline void dcache_flush(const void* object, size_t bytes)
{
    DCACHE_FOR_LINES(object, bytes, 2);
}
