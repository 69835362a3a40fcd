// SPDX-License-Identifier: Apache-2.0
// A key's type, values and default in words.
#pragma once

#include "core/config/keys.hpp"

#include <string>

namespace levee::schema {

/// Placeholder for a user-chosen name in a path.
inline constexpr const char* some_name = "NAME";

/// A key's path in a map with this path, such as "system.core"; empty: the file itself.
[[nodiscard]] std::string path_in(const std::string& map, const config::Key& key);

/// "size", "count", "list of words", ...
[[nodiscard]] std::string type_of(const config::Key& key);

/// Bounds or words: "1 to 4096", "at least 64 B", "`a`, `b`"; or empty.
[[nodiscard]] std::string range_of(const config::Key& key);

/// "1", "the core's", "required", "in place of others".
[[nodiscard]] std::string default_of_key(const config::Key& key);

/// Meaning, form, bounds of a quantity, default in words and source: sentences.
[[nodiscard]] std::string description_of(const config::Key& key);

} // namespace levee::schema
