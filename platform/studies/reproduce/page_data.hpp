// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/errors.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace levee::reproduce {

/// The parts of a reproduction's report other than its numbers.
struct PageFrame {
    std::string paper;                 ///< Name of the paper.
    std::vector<std::string> failures; ///< failures of runs
    std::vector<std::string> warnings;
};

/// The data of a reproduction's report (docs/tracing.md): rows with their numbers as they are and
/// in each reading, and the errors of figures and tables.
[[nodiscard]] nlohmann::ordered_json page_data(const Plan& plan,
                                               const std::vector<Comparison>& lines,
                                               const std::vector<GroupError>& errors,
                                               const PageFrame& frame);

} // namespace levee::reproduce
