// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/quantity.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace levee::sweep {

/// A number from a scenario in SI units: "4 MB" is 4e6 "B", and "45 us" is 45e-6 "s".
struct Measured {
    double value = 0.0;
    std::string unit; ///< "B", "B/s", "Hz", "s", "T/s", "J", "W" or "mm2"; empty for a plain number
};

/// Returns nothing if the text is not a number.
[[nodiscard]] std::optional<Measured> measure(std::string_view text);

/// Returns the dimension of a whole number, with or without a unit: "4 MB" is a Size, "12" a Count.
/// Nothing for other texts.
[[nodiscard]] std::optional<config::Dimension> dimension_of(std::string_view text);

/// Converts a whole number of a dimension's smallest unit to SI units.
[[nodiscard]] Measured in_si(std::uint64_t value, config::Dimension dimension);

/// Returns the shortest text that reads back as the same number.
[[nodiscard]] std::string exact(double value);

} // namespace levee::sweep
