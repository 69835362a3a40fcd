// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/evaluate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// The range of numbers that a published text can mean.
struct Printed {
    double least = 0.0, most = 0.0; ///< inclusive; may be infinite

    /// Returns the distance of a number from the range.
    [[nodiscard]] double distance(double number) const;
};

/// Reads the published text of one number. "3.56" means 3.555 to 3.565, "1.6-1.8" means 1.55 to
/// 1.85, and ">2" everything above 2. Nothing for a text without a number.
[[nodiscard]] std::optional<Printed> printed(const std::string& text);

/// Sets each line's `nearer`: the variants whose number is nearer to the published one than the
/// default's, with the nearest first. Rows of a series are compared by their ratios to its first
/// row.
void find_nearer(const Plan& plan, std::vector<Comparison>& lines);

} // namespace levee::reproduce
