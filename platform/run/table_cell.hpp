// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace levee {

/// A cell of a row of comma-separated values: a comma and the number with nine digits; without a
/// value, only the comma.
[[nodiscard]] std::string table_cell(std::optional<double> value);

} // namespace levee
