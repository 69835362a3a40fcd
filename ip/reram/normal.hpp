// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::reram {

/// Purpose of a random number. Numbers for different purposes are independent.
enum class Draw : std::uint32_t { Programming = 1, Stuck, StuckOn, Read };

/// Random number in (0, 1); a pure function of its arguments.
[[nodiscard]] double uniform(std::uint32_t seed, Draw what, std::uint64_t index);

/// Random number with the standard normal distribution; a pure function with the same bits on every
/// host. Inverts the normal distribution by Wichura's algorithm AS 241 (Applied Statistics 37,
/// 1988), with a relative error of 1e-15.
[[nodiscard]] double normal(std::uint32_t seed, Draw what, std::uint64_t index);

/// base^exponent for base >= 1, with the same bits on every host.
[[nodiscard]] double power(double base, double exponent);

} // namespace levee::reram
