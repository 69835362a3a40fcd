// SPDX-License-Identifier: Apache-2.0
/* Device registers, and words outside the tightly coupled memory, at the core's addresses. Each
 * access synchronises the core with the rest of the system, which slows the simulation. */
#pragma once

#include <stdint.h>

static inline uint32_t mmio_read32(uintptr_t address)
{
    return *(volatile const uint32_t*)address;
}

static inline void mmio_write32(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t*)address = value;
}

static inline uint8_t mmio_read8(uintptr_t address)
{
    return *(volatile const uint8_t*)address;
}

static inline void mmio_write8(uintptr_t address, uint8_t value)
{
    *(volatile uint8_t*)address = value;
}
