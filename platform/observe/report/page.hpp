// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace levee {

/// Returns a self-contained page that shows `data` (docs/tracing.md). `kind` is "run", "sweep",
/// "faults", "compare" or "reproduce". Throws std::invalid_argument for any other kind.
[[nodiscard]] std::string page_text(std::string_view kind, const nlohmann::ordered_json& data);

/// Writes the page atomically. Throws std::invalid_argument for an unknown kind, and
/// std::runtime_error with the file's name and the system's reason if it cannot be written.
void write_page(const std::filesystem::path& file, std::string_view kind,
                const nlohmann::ordered_json& data);
/// Like the function above, for data whose maps are sorted by key.
void write_page(const std::filesystem::path& file, std::string_view kind,
                const nlohmann::json& data);

/// Reads {"kind": ..., "data": ...} from a page that write_page() has written. Throws
/// std::runtime_error with the file's name if it cannot be read or is not such a page.
[[nodiscard]] nlohmann::ordered_json read_page(const std::filesystem::path& file);

} // namespace levee
