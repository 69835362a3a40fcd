// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/evaluate.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// The interval of numbers that a published text may stand for.
struct Printed {
    double least = 0.0, most = 0.0; ///< inclusive; may be infinite

    /// Distance of a number from the interval.
    [[nodiscard]] double distance(double number) const;
};

/// One published text, without the others of its row: "3.56" is 3.555 to 3.565, "1.6-1.8" is 1.55
/// to 1.85, ">2" all above 2. None for a text without a number.
[[nodiscard]] std::optional<Printed> printed(const std::string& text);

/// Sets each line's `nearer`: the variants whose number is nearer to the published one than the
/// default's, the nearest first. Rows of a series are compared by their ratio to its first row.
void find_nearer(const Plan& plan, std::vector<Comparison>& lines);

} // namespace levee::reproduce
