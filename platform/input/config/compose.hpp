// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/node.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee::config {

/// Finds the files a scenario names: relative to the file that names them, then to the folder of
/// the shipped scenarios. What an override names is relative to the current folder first.
class FileFinder {
public:
    explicit FileFinder(std::filesystem::path scenarios) : scenarios_(std::move(scenarios)) {}

    /// The scenario a user names on the command line: a path, or a file of the scenarios folder
    /// with or without ".yaml". Error lists what there is.
    [[nodiscard]] std::filesystem::path scenario(const std::string& name) const;

    /// A file named at `place`; Error there if it does not exist.
    [[nodiscard]] std::filesystem::path file(const std::string& name, const Place& place) const;

    [[nodiscard]] const std::filesystem::path& scenarios() const { return scenarios_; }

private:
    std::filesystem::path scenarios_;
};

/// Loads a scenario as one tree: files named by `system:`, `tech:`, `energy:`, `also:`,
/// `standard:`, `retention:`, `statistics:` and `shape:` are put in the place of their names,
/// `extends: FILE` is merged under the keys beside it (maps key by key, all else replaced), and
/// each override "a.b=value" sets one key. Places remain those of the file each value was written
/// in; that of an override is "--set a.b=value".
[[nodiscard]] Node compose(const std::filesystem::path& scenario, const FileFinder& finder,
                           const std::vector<std::string>& overrides);

} // namespace levee::config
