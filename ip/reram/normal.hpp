// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::reram {

/// The purpose of a random number.
enum class Draw : std::uint32_t { Programming = 1, Stuck, StuckOn, Read };

/// Number in (0, 1), a pure function of its arguments.
[[nodiscard]] double uniform(std::uint32_t seed, Draw what, std::uint64_t index);

/// Standard normal number, likewise, with the same bits on every host. By the inverse of the normal
/// distribution, Wichura's algorithm AS 241 (Applied Statistics 37, 1988); relative error 1e-15.
[[nodiscard]] double normal(std::uint32_t seed, Draw what, std::uint64_t index);

/// base^exponent for base >= 1, likewise.
[[nodiscard]] double power(double base, double exponent);

} // namespace levee::reram
