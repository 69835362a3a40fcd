// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/reproduce/errors.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace levee::reproduce {

/// The texts in the report of a reproduction.
struct PageFrame {
    std::string paper;
    std::vector<std::string> failures;
    std::vector<std::string> warnings;
};

/// Returns the data for the report of a reproduction (docs/tracing.md): each row's numbers in the
/// default and in each reading, and the errors of figures and tables.
[[nodiscard]] nlohmann::ordered_json page_data(const Plan& plan,
                                               const std::vector<Comparison>& lines,
                                               const std::vector<GroupError>& errors,
                                               const PageFrame& frame);

} // namespace levee::reproduce
