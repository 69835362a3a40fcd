// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/reader.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::sweep {

/// `base` to the power of `exponent` in 0 to 1, by square roots alone: the same bits on every
/// machine, to some 1e-15 of the true value. `base` is positive.
[[nodiscard]] double root_power(double base, double exponent);

/// Values between two ends, both included: whole counts of a unit, or real numbers (without a unit,
/// if one end has a decimal point).
class Range {
public:
    /// Reads `from`, `to`, `scale` and `multiple_of` of an axis (axis_keys).
    explicit Range(config::MapReader& axis);

    /// `steps` values at equal distances, or equal ratios of a logarithmic range. At least 2.
    [[nodiscard]] std::vector<std::string> steps(std::uint32_t steps) const;

    /// Values from the first one on at distances of `step`, such as "64 KiB". Throws config::Error
    /// at `place` for another unit or more than `most` values.
    [[nodiscard]] std::vector<std::string> every(const std::string& step, std::size_t most,
                                                 const config::Place& place) const;

    /// The value that a fraction of 0 to below 1 draws; each is as likely, or each ratio.
    [[nodiscard]] std::string drawn(double fraction) const;

    [[nodiscard]] bool logarithmic() const { return log_; }

private:
    void read_whole(config::MapReader& axis, const std::string& from, const std::string& to);
    void read_real(config::MapReader& axis, const std::string& from, const std::string& to);
    [[nodiscard]] std::string text(double value) const;
    [[nodiscard]] double between(double fraction) const;

    std::optional<config::Dimension> dimension_; ///< Dimension of whole counts; empty: real
                                                 ///< numbers.
    double from_ = 0.0, to_ = 0.0;               ///< bounds in units of the dimension
    double multiple_ = 1.0;                      ///< step of whole counts
    bool log_ = false;
};

} // namespace levee::sweep
