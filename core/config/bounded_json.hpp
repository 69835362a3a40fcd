// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace levee::config {

/// Parses JSON text in linear time. Returns nothing if the text is invalid or nested more than 128
/// levels deep. The depth is limited because code that visits or prints a tree is recursive.
[[nodiscard]] std::optional<nlohmann::json> bounded_json(std::string_view text);
/// Like bounded_json(), but keys keep the order of the text.
[[nodiscard]] std::optional<nlohmann::ordered_json> bounded_ordered_json(std::string_view text);

/// Parses a regular file; returns nothing if it does not exist.
[[nodiscard]] std::optional<nlohmann::json> bounded_json_file(const std::filesystem::path& path);

} // namespace levee::config
