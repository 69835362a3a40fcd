// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/descriptor.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace levee {

/// Name of a file that OutputFolder writes and removes to test whether the folder is
/// writable.
inline constexpr std::string_view probe_file = "probe";

/// The folder for a run's files. It is created and tested before the run starts.
class OutputFolder {
public:
    /// Throws std::runtime_error with the folder's name and the system's reason if the folder
    /// cannot be used.
    explicit OutputFolder(std::filesystem::path path);

    /// Locks the folder until this object and its copies are destroyed, so that two commands cannot
    /// mix their files. Throws std::runtime_error with the name of the command that has the lock.
    /// Does nothing if the file system does not support locks.
    void lock();

    /// Returns a folder inside this one. Throws std::runtime_error if it is a link, since a link
    /// may lead elsewhere.
    [[nodiscard]] OutputFolder inner(const std::string& name) const;

    /// Writes a whole file atomically, so that readers see either the old or the new content.
    void write(const std::string& name, const std::string& content) const;

    /// Removes a file or a link if it exists. Throws std::runtime_error for anything else.
    void remove(const std::string& name) const;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    std::shared_ptr<config::Descriptor> lock_;
};

/// Writes a file at any path atomically. A link is replaced, not followed. Throws
/// std::runtime_error for a folder, a pipe or a device.
void write_atomically(const std::filesystem::path& file, const std::string& content);
/// Writes a file that the user has named. If it is a link, its target is replaced. If it is the
/// standard output, the content is appended.
void write_named(const std::filesystem::path& file, const std::string& content);

/// If `name` is a temporary file that a killed process has left, returns the name of the file that
/// the process was writing; otherwise nothing.
[[nodiscard]] std::optional<std::string> unfinished(const std::string& name);

} // namespace levee
