// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/evaluate.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// The rate that a row would have with a constant that is fitted to the device's other rows.
struct HeldOut {
    const Constant* constant = nullptr;
    std::size_t others = 0; ///< number of rows that determine the constant
    double value = 0.0;     ///< the constant: a share, or seconds
    std::optional<double> rate;
    std::optional<double> ratio; ///< predicted over published rate
};

using Predictions = std::map<std::string, HeldOut>; ///< keyed by the line's id

/// Predicts each line that a constant of the plan covers. The constant is fitted to the device's
/// other lines, never to the predicted one. So a device with a single line has no prediction. Lines
/// without a simulated or published number are ignored.
[[nodiscard]] Predictions hold_out(const Plan& plan, const std::vector<Comparison>& lines);

/// Errors of predictions against measurements: |ratio - 1|.
struct HeldOutErrors {
    std::string name;                   ///< name of the constant; for several devices "all" or "all
                                        ///< that fit"
    const Constant* constant = nullptr; ///< null for several devices
    std::size_t devices = 0;
    std::size_t rows = 0;
    std::size_t named = 0; ///< how many numbers the constant's rows have, predicted or not
    double median = 0.0, worst = 0.0;
    std::string worst_id;
    std::optional<double> value; ///< the constant from all its rows
};

/// Returns an entry for each constant with lines, and one for all together. If some constants do
/// not fit, a last entry summarises the others. The list is empty without lines.
[[nodiscard]] std::vector<HeldOutErrors> held_out_errors(const Plan& plan,
                                                         const std::vector<Comparison>& lines);

/// Returns the simulated rate, corrected by a constant; nothing if it is not positive.
[[nodiscard]] std::optional<double> rate_under(Constant::Form form, double value, double simulated);

} // namespace levee::reproduce
