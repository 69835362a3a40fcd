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
    std::size_t numbers = 0;                  ///< averaged numbers
    std::vector<std::optional<double>> error; ///< Errors of the default and then of each variant;
                                              ///< empty: a number is missing or not positive.
};

/// The errors of all groups with rows among `lines`.
[[nodiscard]] std::vector<GroupError> errors_of(const Plan& plan,
                                                const std::vector<Comparison>& lines);

} // namespace levee::reproduce
