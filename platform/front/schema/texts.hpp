// SPDX-License-Identifier: Apache-2.0
// A key's type, values and default as text.
#pragma once

#include "core/config/keys.hpp"

#include <string>

namespace levee::schema {

/// Placeholder in paths for a name that the user chooses.
inline constexpr const char* some_name = "NAME";

/// Returns a key's path, such as "system.core". `map` is the path of the key's map; empty: the file
/// itself.
[[nodiscard]] std::string path_in(const std::string& map, const config::Key& key);

/// Returns the name of a key's type, such as "whole number" or "list of words".
[[nodiscard]] std::string type_of(const config::Key& key);

/// Returns bounds or words, such as "1 to 4096", "at least 64 B" or "`a`, `b`"; may be empty.
[[nodiscard]] std::string range_of(const config::Key& key);

/// Returns a description of the default, such as "`1`", "the core's", "required" or "in place of
/// the required keys".
[[nodiscard]] std::string default_of_key(const config::Key& key);

/// Returns sentences with the key's meaning, form, bounds and source, the condition under which it
/// is required, and a default that only words describe.
[[nodiscard]] std::string description_of(const config::Key& key);

} // namespace levee::schema
