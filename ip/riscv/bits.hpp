// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::riscv {

constexpr std::uint32_t field(std::uint32_t word, unsigned low, unsigned width)
{
    return word >> low & ((1u << width) - 1);
}

constexpr std::int32_t sign_extend(std::uint32_t value, unsigned width)
{
    return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

} // namespace levee::riscv
