// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// Fields of one line of comma-separated values (RFC 4180). Quoted fields may contain commas and
/// doubled quotes, but no line breaks.
[[nodiscard]] std::vector<std::string> csv_fields(const std::string& line);

/// Calls `visit` with the place and the fields of the first line, which names the columns, and of
/// each other line that is not empty. A byte order mark is skipped. Throws Error for a line that
/// ends within quotes, has a zero byte or is not UTF-8; `shown` is the file's name in errors.
void for_each_csv_line(
    std::string_view text, const std::string& shown,
    const std::function<void(const Place&, const std::vector<std::string>&)>& visit);

} // namespace levee::config
