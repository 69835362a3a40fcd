// SPDX-License-Identifier: Apache-2.0
/* Control and status registers (RISC-V Privileged Architecture, chapter 3). */
#pragma once

#include <stdint.h>

#define CSR_READ(name)                                                                             \
    __extension__({                                                                                \
        uint32_t value_;                                                                           \
        __asm__ volatile("csrr %0, " #name : "=r"(value_));                                        \
        value_;                                                                                    \
    })
#define CSR_SET(name, bits) __asm__ volatile("csrs " #name ", %0" ::"r"(bits) : "memory")
#define CSR_CLEAR(name, bits) __asm__ volatile("csrc " #name ", %0" ::"r"(bits) : "memory")

#define MSTATUS_MIE 0x8u
#define MIE_MTIE 0x80u
#define MIE_MEIE 0x800u
#define MCAUSE_INTERRUPT 0x80000000u
#define MCAUSE_TIMER 7u
#define MCAUSE_EXTERNAL 11u

/* Reads a 64-bit counter as two halves. If the low half overflowed between the reads, it reads both
 * again. */
#define CSR_READ64(low, high)                                                                      \
    __extension__({                                                                                \
        uint32_t high_, low_;                                                                      \
        do {                                                                                       \
            high_ = CSR_READ(high);                                                                \
            low_ = CSR_READ(low);                                                                  \
        } while (high_ != CSR_READ(high));                                                         \
        (uint64_t) high_ << 32 | low_;                                                             \
    })
