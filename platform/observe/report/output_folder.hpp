// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/descriptor.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace levee {

/// The file with which OutputFolder tries a folder; it is removed afterwards.
inline constexpr std::string_view probe_file = "probe";

/// Folder of a run's files, created and checked for write access before the run.
class OutputFolder {
public:
    /// Throws std::runtime_error naming the folder and the system's reason.
    explicit OutputFolder(std::filesystem::path path);

    /// Locks the folder, as long as this or a copy lives: files of two commands would mix. Throws
    /// std::runtime_error naming who has the lock. A file system without locks is left without.
    void lock();

    /// A folder in this one. Throws std::runtime_error for a link, which may lead elsewhere.
    [[nodiscard]] OutputFolder inner(const std::string& name) const;

    /// Writes a whole file atomically: readers see the old content or the new one, never a part.
    void write(const std::string& name, const std::string& content) const;

    /// Removes a file or a link, if there is one. Throws std::runtime_error if it is something
    /// else.
    void remove(const std::string& name) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::shared_ptr<config::Descriptor> lock_;
};

/// The same as OutputFolder::write, for a file at any path. A link is replaced; for a folder, a
/// pipe or a device std::runtime_error.
void write_atomically(const std::filesystem::path& file, const std::string& content);
/// The same for a file that the user has named: where it is a link, the file that it leads to. What
/// the standard output goes to is not replaced: the content joins the text there.
void write_named(const std::filesystem::path& file, const std::string& content);

/// The file that one named `name` would have become, had its writer not been killed. Nothing if no
/// writer names its files so.
[[nodiscard]] std::optional<std::string> unfinished(const std::string& name);

} // namespace levee
