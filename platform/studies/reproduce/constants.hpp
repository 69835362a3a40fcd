// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/evaluate.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// The rate of a row under a constant derived from the device's other rows, and that constant.
struct HeldOut {
    const Constant* constant = nullptr;
    std::size_t others = 0; ///< number of rows from which the constant is derived
    double value = 0.0;     ///< value of the constant: a share, or seconds
    std::optional<double> rate;
    std::optional<double> ratio; ///< rate over published
};

using Predictions = std::map<std::string, HeldOut>; ///< Predictions by the ids of lines.

/// Predictions of lines that a constant of the plan covers. Each constant is fitted to the device's
/// other lines, never to the predicted one; a device with one line has none. Lines without a
/// simulated or published number are ignored.
[[nodiscard]] Predictions hold_out(const Plan& plan, const std::vector<Comparison>& lines);

/// The error of predictions against measurements: |ratio - 1|.
struct HeldOutErrors {
    std::string name;                   ///< name of the constant; "all", or "all that fit"
    const Constant* constant = nullptr; ///< null: several devices
    std::size_t devices = 0;            ///< Number of devices with predicted rows.
    std::size_t rows = 0;               ///< predicted
    std::size_t named = 0; ///< numbers of the rows that the constant names, predicted or not
    double median = 0.0, worst = 0.0;
    std::string worst_id;
    std::optional<double> value; ///< value of the constant, from all its rows
};

/// One entry for each constant with lines, then one for all together, then one without the
/// constants that do not fit, if there are some; empty without lines.
[[nodiscard]] std::vector<HeldOutErrors> held_out_errors(const Plan& plan,
                                                         const std::vector<Comparison>& lines);

/// The rate under a constant; absent: no positive rate follows.
[[nodiscard]] std::optional<double> rate_under(Constant::Form form, double value, double simulated);

} // namespace levee::reproduce
