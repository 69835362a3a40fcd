// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace levee::config {

/// Parses JSON text in linear time. Returns nothing if the text is invalid or nested more than 128
/// deep: code that walks or prints a tree recurses.
[[nodiscard]] std::optional<nlohmann::json> bounded_json(std::string_view text);
/// The same with keys in the order of the text.
[[nodiscard]] std::optional<nlohmann::ordered_json> bounded_ordered_json(std::string_view text);

/// Parses a regular file; returns nothing if it does not exist.
[[nodiscard]] std::optional<nlohmann::json> bounded_json_file(const std::filesystem::path& path);

} // namespace levee::config
