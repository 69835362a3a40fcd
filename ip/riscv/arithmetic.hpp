// SPDX-License-Identifier: Apache-2.0
// Computes the results of instructions that need more than one C++ operator.
#pragma once

#include <cstdint>
#include <limits>

namespace levee::riscv {

inline std::int32_t as_signed(std::uint32_t value)
{
    return static_cast<std::int32_t>(value);
}

inline std::uint32_t high_product(std::int64_t a, std::int64_t b)
{
    return static_cast<std::uint32_t>((a * b) >> 32);
}

inline std::uint32_t high_product_unsigned(std::uint32_t a, std::uint32_t b)
{
    return static_cast<std::uint32_t>((std::uint64_t{a} * b) >> 32);
}

/// Division by zero and overflow give the results of the unprivileged specification, table 7.1.
inline std::uint32_t divide(std::uint32_t a, std::uint32_t b)
{
    if (b == 0)
        return UINT32_MAX;
    if (as_signed(a) == std::numeric_limits<std::int32_t>::min() && as_signed(b) == -1)
        return a;
    return static_cast<std::uint32_t>(as_signed(a) / as_signed(b));
}

inline std::uint32_t remainder(std::uint32_t a, std::uint32_t b)
{
    if (b == 0)
        return a;
    if (as_signed(a) == std::numeric_limits<std::int32_t>::min() && as_signed(b) == -1)
        return 0;
    return static_cast<std::uint32_t>(as_signed(a) % as_signed(b));
}

inline std::uint32_t extend8(std::uint32_t value)
{
    return static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
}
inline std::uint32_t extend16(std::uint32_t value)
{
    return static_cast<std::uint32_t>(static_cast<std::int16_t>(value));
}

} // namespace levee::riscv
