// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/evaluate.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// The mean error of the rows of one figure or table: exp(mean |ln(simulated / published)|) - 1.
struct GroupError {
    std::string name;
    std::size_t numbers = 0;
    std::vector<std::optional<double>> error; ///< errors of the default and of each variant;
                                              ///< nothing if a number is missing or not positive
};

/// Returns the errors of all groups that have rows among `lines`.
[[nodiscard]] std::vector<GroupError> errors_of(const Plan& plan,
                                                const std::vector<Comparison>& lines);

} // namespace levee::reproduce
