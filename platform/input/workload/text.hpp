// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// A whole file. Throws config::Error naming it and the system's reason.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Without white space (ASCII's) at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Lines without their ends; an empty last line is dropped.
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);

/// Parts between separators, without white space around them; empty ones are left out. An empty
/// separator: one part.
[[nodiscard]] std::vector<std::string> split_text(std::string_view text,
                                                  std::string_view separator);

/// Fields between single characters, as they stand.
[[nodiscard]] std::vector<std::string> split_fields(std::string_view text, char separator);

} // namespace levee
