// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/wide.hpp"

#include <cstdint>
#include <string>

namespace levee::energy {

/// Energy as a whole number of attojoules, so that its parts always add up exactly.
using Attojoules = Wide;

/// The price of one unit: numerator / denominator attojoules. Arithmetic is exact while results fit
/// into 128 bits. Otherwise, a product has a relative error of at most 2^-61, and a sum or
/// difference has an error of at most 2^-63 attojoules.
struct Rate {
    Wide numerator = 0;
    Wide denominator = 1;

    [[nodiscard]] bool is_zero() const { return numerator == 0; }
    /// Returns the price of `count` units, rounded to the nearest attojoule. Throws
    /// std::overflow_error if it does not fit into 128 bits.
    [[nodiscard]] Attojoules of(std::uint64_t count) const;
    /// Returns this rate times a / b, in lowest terms; b must not be 0.
    [[nodiscard]] Rate times(std::uint64_t a, std::uint64_t b) const;
};

[[nodiscard]] Rate operator*(const Rate& a, const Rate& b);
[[nodiscard]] Rate operator+(const Rate& a, const Rate& b);
[[nodiscard]] bool operator<(const Rate& a, const Rate& b);
/// `b` must not exceed `a`.
[[nodiscard]] Rate operator-(const Rate& a, const Rate& b);

/// Returns the energy in joules. Every host computes the same bits.
[[nodiscard]] double joules(Attojoules energy);

[[nodiscard]] std::string decimal(Wide value);

/// Returns value / 10^places as text, with `places` decimal places.
[[nodiscard]] std::string decimal(Wide value, std::size_t places);

/// Returns the energy in joules as text, with all 18 decimal places.
[[nodiscard]] std::string exact_joules(Attojoules energy);

} // namespace levee::energy
