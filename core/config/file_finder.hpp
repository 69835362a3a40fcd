// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/error.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee::config {

/// Text with which the place of an override begins. The place of a value in a file never begins
/// with this text (load_yaml()).
inline constexpr std::string_view override_mark = "--set ";

[[nodiscard]] bool is_override(const Place& place);

/// Folder that is searched first for a file that is named at `place`.
[[nodiscard]] std::filesystem::path folder_beside(const Place& place);

/// Whether `path` is in `folder`, after symbolic links and `..` are resolved.
[[nodiscard]] bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Which folders may contain a scenario's files.
enum class Reach {
    Inside, ///< Only the scenario's folder, or the project of the shipped scenarios.
    Anywhere
};
[[nodiscard]] inline Reach reach(bool allow_outside)
{
    return allow_outside ? Reach::Anywhere : Reach::Inside;
}

/// Finds the files that a scenario names. A path is relative to the file that names it or, if that
/// does not exist, to the folder of the shipped scenarios. A path in an override is first tried
/// relative to the current folder. Overrides may name files in any folder, because the user typed
/// them.
class FileFinder {
public:
    explicit FileFinder(std::filesystem::path scenarios, Reach reach = Reach::Inside)
        : scenarios_(std::move(scenarios)), reach_(reach)
    {
    }

    /// Finds the scenario that the command line names: a path, or a file in the scenarios folder,
    /// with or without ".yaml". If there is none, the Error lists the available ones.
    [[nodiscard]] std::filesystem::path scenario(const std::string& name) const;

    /// Finds a scenario that another file names at `place`; a relative path refers to that file.
    /// Throws Error there if it does not exist or is outside the permitted folders.
    [[nodiscard]] std::filesystem::path scenario(const std::string& name, const Place& place) const;

    /// Finds the study that the command line names, like scenario(). A study is a file with axes or
    /// faults.
    [[nodiscard]] std::filesystem::path study(const std::string& name) const;

    /// Returns a finder for a scenario in `folder`, which also permits files in that folder.
    [[nodiscard]] FileFinder within(const std::filesystem::path& folder) const;

    /// Finds a file that is named at `place`. Throws an Error there if it does not exist or is
    /// outside the permitted folders.
    [[nodiscard]] std::filesystem::path file(const std::string& name, const Place& place) const;

    /// Finds a file in any folder. Returns nothing if it does not exist.
    [[nodiscard]] std::optional<std::filesystem::path> existing(const std::string& name,
                                                                const Place& place) const;

    /// Throws an Error at `place` if this path is outside the permitted folders.
    void check_reach(const std::filesystem::path& path, const Place& place) const;

    [[nodiscard]] const std::filesystem::path& scenarios() const { return scenarios_; }

    /// Returns a finder that also adds each file that it finds to `files`. `files` must outlive it.
    [[nodiscard]] FileFinder noting(std::vector<std::filesystem::path>& files) const;

private:
    /// Finds the file with this name; `folder` is searched first.
    [[nodiscard]] std::optional<std::filesystem::path>
    named(const std::string& name, const std::filesystem::path& folder) const;
    [[nodiscard]] std::string missing(const std::string& name, const std::filesystem::path& folder,
                                      const std::string& one, const std::string& many,
                                      const std::vector<std::string>& names) const;

    std::filesystem::path scenarios_, folder_;
    Reach reach_;
    std::vector<std::filesystem::path>* found_ = nullptr;
};

} // namespace levee::config
