// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/file_finder.hpp"
#include "core/config/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee::config {

/// Returns whether the value of this key, or an item of its list, may be the name of a YAML file.
[[nodiscard]] bool may_name_a_file(const std::string& key);

/// The key that names the file whose map this map extends.
inline constexpr const char* base_key = "extends";

/// Loads a scenario as one tree, in these steps. The names of files under `system:`, `tech:`,
/// `energy:`, `also:`, `lists:`, `standard:`, `retention:`, `statistics:`, `shape:`, `rtl:` and
/// `turns:` are replaced by the files' contents. `extends: FILE` merges FILE under the keys next to
/// it: maps are merged key by key, and everything else is replaced. A file under `energy:`,
/// `standard:`, `retention:` or `shape:` replaces the whole value. Each override "a.b=value" sets
/// one key. A `null` next to `extends`, or in an override, removes the key, which must exist. Each
/// value keeps its place in the file where it was written; the place of an override is "--set
/// a.b=value".
[[nodiscard]] Node compose(const std::filesystem::path& scenario, const FileFinder& finder,
                           const std::vector<std::string>& overrides);

/// Applies overrides to a scenario that was composed without them.
void apply_overrides(Node& composed, const FileFinder& finder,
                     const std::vector<std::string>& overrides);

} // namespace levee::config
