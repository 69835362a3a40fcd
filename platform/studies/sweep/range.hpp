// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// Returns `base` to the power of `exponent`, which is from 0 to 1. It computes only square roots,
/// so that every machine gets the same bits, accurate to about 1e-15. `base` must be positive.
[[nodiscard]] double root_power(double base, double exponent);

/// A range of values from one end to the other, both included. They are whole numbers of a unit, or
/// real numbers if one end has a decimal point and no unit.
class Range {
public:
    /// Reads `from`, `to`, `scale` and `multiple_of` of an axis (axis_keys).
    explicit Range(config::MapReader& axis);

    /// Returns `steps` values (at least 2) with equal distances, or with equal ratios in a
    /// logarithmic range. Values that become equal by rounding appear once.
    [[nodiscard]] std::vector<std::string> steps(std::uint32_t steps) const;

    /// Returns the values from the first to the last in steps of `step`, such as "64 KiB". Throws
    /// config::Error at `place` for a wrong unit, a logarithmic range or more than `most` values.
    [[nodiscard]] std::vector<std::string> every(const std::string& step, std::size_t most,
                                                 const config::Place& place) const;

    /// Maps a fraction, from 0 to below 1, to a value. Random fractions give equally likely values
    /// or, in a logarithmic range, equally likely logarithms of values.
    [[nodiscard]] std::string drawn(double fraction) const;

    [[nodiscard]] bool logarithmic() const { return log_; }

private:
    void read_whole(config::MapReader& axis, const std::string& from, const std::string& to);
    void read_real(config::MapReader& axis, const std::string& from, const std::string& to);
    [[nodiscard]] std::string text(double value) const;
    [[nodiscard]] double between(double fraction) const;

    std::optional<config::Dimension> dimension_; ///< dimension of whole numbers; nothing for real
                                                 ///< numbers
    double from_ = 0.0, to_ = 0.0;               ///< both ends, in units of the dimension
    double multiple_ = 1.0;                      ///< whole numbers are multiples of it
    bool log_ = false;
};

} // namespace levee::sweep
