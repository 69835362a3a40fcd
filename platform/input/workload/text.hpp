// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Reads a whole file. Throws config::Error with its name and the system's reason.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Returns the text without ASCII white space at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// Returns the lines without their line ends. An empty last line is dropped.
[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);

/// Returns the parts between separators. White space around parts is removed, and empty parts are
/// dropped. With an empty separator there is one part.
[[nodiscard]] std::vector<std::string> split_text(std::string_view text,
                                                  std::string_view separator);

/// Returns the fields between separator characters, unchanged.
[[nodiscard]] std::vector<std::string> split_fields(std::string_view text, char separator);

} // namespace levee
