// SPDX-License-Identifier: Apache-2.0
#include "core/config/file_finder.hpp"

#include "core/config/regular_file.hpp"

#include <climits>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <system_error>

namespace levee::config {

namespace fs = std::filesystem;

namespace {

/// Names of the scenarios in the folder and in each paper's folder. Other folders contain only
/// parts of scenarios, and studies.
std::vector<std::string> scenario_names(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code ignored;
    const auto add = [&](const fs::path& file, const std::string& prefix) {
        if (file.extension() == ".yaml")
            names.push_back(prefix + file.stem().string());
    };
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        add(entry.path(), "");
        if (!entry.is_directory() || name == "systems" || name == "tech" || name == "models" ||
            name == "questions")
            continue;
        for (const auto& inner : fs::directory_iterator(entry.path(), ignored))
            add(inner.path(), name + "/");
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Files in the folder and its subfolders that are studies, because they have axes or faults.
std::vector<std::string> study_names(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(
             folder, fs::directory_options::skip_permission_denied, ignored)) {
        if (entry.path().extension() != ".yaml")
            continue;
        std::ifstream file = regular_stream(entry.path());
        for (std::string line; std::getline(file, line);)
            if (line.starts_with("axes:") || line.starts_with("faults:")) {
                names.push_back(
                    entry.path().lexically_relative(folder).replace_extension().string());
                break;
            }
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Returns a message such as "PATH is a pipe; expected a file" for the first candidate that is
/// neither a file nor a folder.
std::string other_kind(std::initializer_list<fs::path> candidates)
{
    std::error_code ignored;
    for (const fs::path& candidate : candidates)
        if (fs::exists(candidate, ignored) && !fs::is_directory(candidate, ignored))
            return candidate.lexically_normal().string() + " " + why_unreadable(candidate);
    return "";
}

/// Throws Error if the file is an ELF file.
void refuse_program(const fs::path& file, const std::string& kind)
{
    constexpr std::string_view magic = "\177ELF";
    std::string begin(magic.size(), '\0');
    regular_stream(file).read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin == magic)
        throw Error(in_quotes(file.string()) + " is a program, not a " + kind +
                    "; expected a YAML file, or the command levee run --app " + file.string());
}

} // namespace

bool is_override(const Place& place)
{
    return place.file && place.file->starts_with(override_mark);
}

fs::path folder_beside(const Place& place)
{
    return is_override(place) ? fs::path() : fs::path(place.file ? *place.file : "").parent_path();
}

fs::path FileFinder::scenario(const std::string& name) const
{
    if (const auto found = named(name, fs::path())) {
        refuse_program(*found, "scenario");
        return *found;
    }
    throw Error(missing(name, fs::path(), "scenario", "scenarios", scenario_names(scenarios_)));
}

fs::path FileFinder::scenario(const std::string& name, const Place& place) const
{
    const fs::path folder = folder_beside(place);
    const auto found = named(name, folder);
    if (!found)
        throw Error(place,
                    missing(name, folder, "scenario", "scenarios", scenario_names(scenarios_)));
    check_reach(*found, place);
    return found->lexically_normal();
}

fs::path FileFinder::study(const std::string& name) const
{
    if (const auto found = named(name, fs::path())) {
        refuse_program(*found, "study");
        return *found;
    }
    throw Error(missing(name, fs::path(), "study", "studies", study_names(scenarios_)));
}

std::optional<fs::path> FileFinder::named(const std::string& name, const fs::path& folder) const
{
    std::error_code ignored;
    for (const fs::path& candidate : {folder / name, folder / (name + ".yaml"), scenarios_ / name,
                                      scenarios_ / (name + ".yaml")})
        if (!name.empty() && name.size() < PATH_MAX && fs::is_regular_file(candidate, ignored))
            return candidate;
    return std::nullopt;
}

std::string FileFinder::missing(const std::string& name, const fs::path& folder,
                                const std::string& one, const std::string& many,
                                const std::vector<std::string>& names) const
{
    if (const std::string other = other_kind({folder / name, scenarios_ / name}); !other.empty())
        return "no " + one + " '" + name + "': " + other;
    std::string list;
    for (const std::string& known : names)
        list += (list.empty() ? "" : ", ") + known;
    std::string near = nearest(fs::path(name).replace_extension().string(), names);
    if (near.empty())
        near = nearest(fs::path(name).stem().string(), names);
    return "no " + one + " '" + name + "': there is no such file, and none in " +
           scenarios_.string() + (near.empty() ? "" : "; did you mean '" + near + "'?") + "\n" +
           many + " there: " + list;
}

namespace {

/// Target of a path. Links are resolved even if their target does not exist, because writing would
/// create it. Empty if it cannot be determined.
std::optional<fs::path> target_of(fs::path path)
{
    constexpr int most_links = 40;
    std::error_code failed;
    for (int link = 0; link < most_links; ++link) {
        path = fs::weakly_canonical(fs::absolute(path, failed), failed);
        if (failed)
            return std::nullopt;
        if (!fs::is_symlink(path, failed))
            return path;
        path = path.parent_path() / fs::read_symlink(path, failed);
    }
    return std::nullopt;
}

} // namespace

bool lies_in(const fs::path& path, const fs::path& folder)
{
    const auto target = target_of(path), root = target_of(folder);
    if (!target || !root)
        return false;
    const fs::path relative = target->lexically_relative(*root);
    return !relative.empty() && *relative.begin() != "..";
}

FileFinder FileFinder::noting(std::vector<fs::path>& files) const
{
    FileFinder finder = *this;
    finder.found_ = &files;
    return finder;
}

FileFinder FileFinder::within(const fs::path& folder) const
{
    FileFinder finder = *this;
    finder.folder_ = folder.empty() ? fs::path(".") : folder;
    return finder;
}

void FileFinder::check_reach(const fs::path& path, const Place& place) const
{
    if (reach_ == Reach::Anywhere || is_override(place))
        return;
    const fs::path project = fs::absolute(scenarios_).lexically_normal().parent_path();
    if (lies_in(path, project) || (!folder_.empty() && lies_in(path, folder_)))
        return;
    std::error_code ignored;
    const std::string what = fs::is_directory(path, ignored) ? "the folder " : "the file ";
    throw Error(place, what + in_quotes(path.string()) + " is outside the scenario's folder and " +
                           project.string() +
                           "; move it into one of them (links do not help), or use "
                           "--allow-outside");
}

std::optional<fs::path> FileFinder::existing(const std::string& name, const Place& place) const
{
    std::error_code ignored;
    if (name.empty() || name.size() > PATH_MAX)
        return std::nullopt;
    for (const fs::path& candidate : {folder_beside(place) / name, scenarios_ / name})
        if (fs::is_regular_file(candidate, ignored))
            return candidate.lexically_normal();
    return std::nullopt;
}

fs::path FileFinder::file(const std::string& name, const Place& place) const
{
    if (const auto found = existing(name, place)) {
        check_reach(*found, place);
        if (found_ != nullptr)
            found_->push_back(*found);
        return *found;
    }
    const fs::path beside = folder_beside(place);
    const std::string missing = "no file " + in_quotes(name);
    if (existing(name + ".yaml", place))
        throw Error(place, missing + "; did you mean '" + name + ".yaml'?");
    std::error_code ignored;
    for (const fs::path& folder : {beside / name, scenarios_ / name})
        if (!name.empty() && fs::is_directory(folder, ignored))
            throw Error(place, missing + ": " + folder.lexically_normal().string() +
                                   " is a folder; expected a file in it");
    const std::string other = other_kind({beside / name, scenarios_ / name});
    if (!other.empty())
        throw Error(place, missing + ": " + other);
    if (fs::path(name).is_absolute())
        throw Error(place, missing);
    const std::string near = (beside / name).lexically_normal().string();
    const std::string shipped = (scenarios_ / name).lexically_normal().string();
    throw Error(place, missing + ": " +
                           (near == shipped ? near + " does not exist"
                                            : "neither " + near + " nor " + shipped + " exists"));
}

} // namespace levee::config
