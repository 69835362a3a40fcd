// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace levee {

/// Returns a cell in a row of comma-separated values: a comma and the number with nine digits; only
/// the comma if there is no value.
[[nodiscard]] std::string table_cell(std::optional<double> value);

} // namespace levee
