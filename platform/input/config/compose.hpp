// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/file_finder.hpp"
#include "core/config/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee::config {

/// Whether the value of this key, or an item of its list, may be the name of a YAML file.
[[nodiscard]] bool may_name_a_file(const std::string& key);

/// Key that names a file whose map is the base of this one.
inline constexpr const char* base_key = "extends";

/// Loads a scenario as one tree: files named by `system:`, `tech:`, `energy:`, `also:`,
/// `standard:`, `retention:`, `statistics:` and `shape:` are put in the place of their names,
/// `extends: FILE` is merged under the keys next to it (maps key by key, all else replaced), and
/// each override "a.b=value" sets one key. A `null` next to `extends`, or in an override, removes
/// the key, which must exist. Each value keeps its place in the file where it was written; the
/// place of an override is "--set a.b=value".
[[nodiscard]] Node compose(const std::filesystem::path& scenario, const FileFinder& finder,
                           const std::vector<std::string>& overrides);

/// Applies overrides to a scenario that was composed without them.
void apply_overrides(Node& composed, const FileFinder& finder,
                     const std::vector<std::string>& overrides);

} // namespace levee::config
