// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// The text with which the place of an override begins. The place of a file never begins with it
/// (load_yaml()).
inline constexpr std::string_view override_mark = "--set ";

[[nodiscard]] bool is_override(const Place& place);

/// Folder that is searched first for a file named at `place`.
[[nodiscard]] std::filesystem::path folder_beside(const Place& place);

/// Whether `path` lies in `folder` after resolving symbolic links and `..`.
[[nodiscard]] bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Folders in which a scenario's files may lie.
enum class Reach {
    Inside, ///< Only the scenario's folder, or the project of the shipped scenarios.
    Anywhere
};
[[nodiscard]] inline Reach reach(bool allow_outside)
{
    return allow_outside ? Reach::Anywhere : Reach::Inside;
}

/// Finds the files that a scenario names: relative to the naming file first, then to the folder of
/// the shipped scenarios. Paths in an override are relative to the current folder first and are
/// unrestricted, since the user typed them.
class FileFinder {
public:
    explicit FileFinder(std::filesystem::path scenarios, Reach reach = Reach::Inside)
        : scenarios_(std::move(scenarios)), reach_(reach)
    {
    }

    /// Finds the scenario of the command line: a path, or a file of the scenarios folder, both with
    /// or without ".yaml". An Error lists the available ones.
    [[nodiscard]] std::filesystem::path scenario(const std::string& name) const;

    /// Finds a file that another file names at `place`; a relative path refers to that file. Throws
    /// Error there if the file does not exist or lies outside the permitted folders.
    [[nodiscard]] std::filesystem::path scenario(const std::string& name, const Place& place) const;

    /// Finds a study of the command line in the same way: a file with axes.
    [[nodiscard]] std::filesystem::path study(const std::string& name) const;

    /// Returns a finder for a scenario in `folder`, which also permits files of that folder.
    [[nodiscard]] FileFinder within(const std::filesystem::path& folder) const;

    /// Finds a file named at `place`; throws an Error there if it does not exist or lies outside
    /// the permitted folders.
    [[nodiscard]] std::filesystem::path file(const std::string& name, const Place& place) const;

    /// Finds a file wherever it lies; returns nothing if it does not exist.
    [[nodiscard]] std::optional<std::filesystem::path> existing(const std::string& name,
                                                                const Place& place) const;

    /// Throws an Error at `place` if a file or folder named there lies outside the permitted
    /// folders.
    void check_reach(const std::filesystem::path& path, const Place& place) const;

    [[nodiscard]] const std::filesystem::path& scenarios() const { return scenarios_; }

    /// Returns a finder that also adds each file that it finds to `files`, which must outlive it.
    [[nodiscard]] FileFinder noting(std::vector<std::filesystem::path>& files) const;

private:
    /// The file for a name; `folder` is searched first.
    [[nodiscard]] std::optional<std::filesystem::path>
    named(const std::string& name, const std::filesystem::path& folder) const;
    [[nodiscard]] std::string missing(const std::string& name, const std::string& one,
                                      const std::string& many,
                                      const std::vector<std::string>& names) const;

    std::filesystem::path scenarios_, folder_;
    Reach reach_;
    std::vector<std::filesystem::path>* found_ = nullptr;
};

} // namespace levee::config
