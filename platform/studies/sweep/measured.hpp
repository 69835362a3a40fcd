// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/quantity.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace levee::sweep {

/// A number as a scenario writes it, in SI units: "4 MB" is 4e6 of "B", "45 us" 45e-6 of "s".
struct Measured {
    double value = 0.0;
    std::string unit; ///< "B", "B/s", "Hz", "s", "T/s", "J", "W" or "mm2"; empty: a plain number
};

/// Nothing if the text is no number.
[[nodiscard]] std::optional<Measured> measure(std::string_view text);

/// Dimension of a text if it is a whole number that scenarios count, with or without unit: "4 MB"
/// is a Size, "12" a Count. Nothing for other texts.
[[nodiscard]] std::optional<config::Dimension> dimension_of(std::string_view text);

/// A whole number of a dimension's smallest unit in SI units.
[[nodiscard]] Measured in_si(std::uint64_t value, config::Dimension dimension);

/// The shortest text that reads back as the same number.
[[nodiscard]] std::string exact(double value);

} // namespace levee::sweep
