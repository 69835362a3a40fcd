// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/wide.hpp"

#include <cstdint>
#include <string>

namespace levee::energy {

/// Energy as an integral number of attojoules, so that any partition of it adds up exactly.
using Attojoules = Wide;

/// Price of one unit: numerator / denominator attojoules. Arithmetic is exact if it fits 128 bits,
/// as for parameters with common factors. Otherwise the error is at most 2^-61 of a product, and
/// 2^-63 attojoules of a sum or a difference.
struct Rate {
    Wide numerator = 0;
    Wide denominator = 1;

    [[nodiscard]] bool is_zero() const { return numerator == 0; }
    /// Price of `count` units, to the nearest attojoule. Throws std::overflow_error beyond 128
    /// bits.
    [[nodiscard]] Attojoules of(std::uint64_t count) const;
    /// This rate times a / b (b not 0), in lowest terms.
    [[nodiscard]] Rate times(std::uint64_t a, std::uint64_t b) const;
};

[[nodiscard]] Rate operator*(const Rate& a, const Rate& b);
[[nodiscard]] Rate operator+(const Rate& a, const Rate& b);
[[nodiscard]] bool operator<(const Rate& a, const Rate& b);
/// Requires that `b` is not greater than `a`.
[[nodiscard]] Rate operator-(const Rate& a, const Rate& b);

/// Value as a figure, with the same bits on every host.
[[nodiscard]] double joules(Attojoules energy);

/// Value as text with all digits.
[[nodiscard]] std::string decimal(Wide value);

/// Value in joules, with all 18 decimal places.
[[nodiscard]] std::string exact_joules(Attojoules energy);

} // namespace levee::energy
