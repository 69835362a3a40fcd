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

    /// Locks the folder for the lifetime of this object and its copies, since files of two commands
    /// would mix. Throws std::runtime_error with the holder's name. A file system without locks is
    /// used without.
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
/// Writes a file that the user has named: a link's target is replaced. The standard output's target
/// is not replaced; the content is appended to it.
void write_named(const std::filesystem::path& file, const std::string& content);

/// Target name of a temporary file `name` that a killed writer has left. Nothing if no writer uses
/// names of this form.
[[nodiscard]] std::optional<std::string> unfinished(const std::string& name);

} // namespace levee
