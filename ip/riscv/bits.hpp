// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::riscv {

constexpr uint32_t field(uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

constexpr int32_t sign_extend(uint32_t value, unsigned width)
{
    return static_cast<int32_t>(value << (32 - width)) >> (32 - width);
}

} // namespace levee::riscv
