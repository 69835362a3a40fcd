// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace levee::config {

/// Fields of one line of comma-separated values (RFC 4180). Quoted fields may contain commas and
/// doubled quotes, but no line breaks.
[[nodiscard]] std::vector<std::string> csv_fields(const std::string& line);

} // namespace levee::config
