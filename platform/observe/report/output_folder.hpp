// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace levee {

/// What OutputFolder tries a folder with; it is gone afterwards.
inline constexpr std::string_view probe_file = "probe";

/// Folder of a run's files, created and checked for write access before the run.
class OutputFolder {
public:
    /// Throws std::runtime_error naming the folder and the system's reason.
    explicit OutputFolder(std::filesystem::path path);

    /// Locks the folder for a run, as long as this or a copy lives: files of two would mix. Throws
    /// std::runtime_error naming who has the lock. A file system without locks is left without.
    void lock();

    /// Writes a whole file atomically: readers see the old content or the new one, never a part.
    void write(const std::string& name, const std::string& content) const;

    /// Removes a file, if there is one. Throws std::runtime_error if it is a folder.
    void remove(const std::string& name) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::shared_ptr<void> lock_;
};

/// The same as OutputFolder::write, for a file at any path.
void write_atomically(const std::filesystem::path& file, const std::string& content);

/// The file that one named `name` would have become, had its writer not been killed. Nothing if no
/// writer names its files so.
[[nodiscard]] std::optional<std::string> unfinished(const std::string& name);

} // namespace levee
