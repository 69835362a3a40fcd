// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace levee {

/// The text of a self-contained page that shows `data` (docs/tracing.md). `kind`: "run", "sweep",
/// "faults", "compare" or "reproduce". Throws std::invalid_argument for another kind.
[[nodiscard]] std::string page_text(std::string_view kind, const nlohmann::ordered_json& data);

/// Writes the page atomically. Throws std::invalid_argument, as page_text(), or std::runtime_error
/// naming the file and the system's reason.
void write_page(const std::filesystem::path& file, std::string_view kind,
                const nlohmann::ordered_json& data);
/// The same for data whose maps are sorted by key.
void write_page(const std::filesystem::path& file, std::string_view kind,
                const nlohmann::json& data);

/// Reads {"kind": ..., "data": ...} back from a page made by write_page. Throws std::runtime_error
/// with the file's name if it cannot be read or is not a report page.
[[nodiscard]] nlohmann::ordered_json read_page(const std::filesystem::path& file);

} // namespace levee
