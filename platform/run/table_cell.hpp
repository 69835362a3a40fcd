// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace levee {

/// A comma and a number of a row of comma-separated values, of nine digits; nothing: an empty cell.
[[nodiscard]] std::string table_cell(std::optional<double> value);

} // namespace levee
