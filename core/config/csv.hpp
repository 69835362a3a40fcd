// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace levee::config {

/// The fields of one line of comma-separated values (RFC 4180): quoted ones may hold commas and
/// doubled quotes, but no line's end.
[[nodiscard]] std::vector<std::string> csv_fields(const std::string& line);

} // namespace levee::config
