// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run_files.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>

namespace levee {

namespace {

bool is_own(const std::string& name)
{
    const auto is_name = [&](const char* own) { return name == own; };
    return std::ranges::any_of(result_files, is_name) ||
           std::ranges::any_of(table_files, is_name) ||
           (name.starts_with("energy") && name.ends_with(".csv"));
}

namespace fs = std::filesystem;

/// The file's path with links resolved, whether it exists or not.
fs::path place_of(const fs::path& path)
{
    std::error_code failed;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path.lexically_normal() : place;
}

/// Whether a name denotes a file in the folder, without following links.
bool names_file_in(const fs::path& name, const fs::path& folder)
{
    std::error_code ignored;
    const fs::path from = fs::absolute(folder, ignored).lexically_normal();
    const std::string inner =
        fs::absolute(name, ignored).lexically_normal().lexically_proximate(from).string();
    return !inner.starts_with("..") && !inner.starts_with("/");
}

/// Files of `observe:`, by their place. Throws for names that are not permitted.
std::vector<fs::path> observed_files(const config::ObserveConfig& observe, const fs::path& folder)
{
    std::vector<fs::path> files;
    for (const auto* output : {&observe.logits, &observe.retention_log, &observe.lifetimes}) {
        if (!*output)
            continue;
        const std::string name =
            (folder / (*output)->name).lexically_normal().lexically_proximate(folder).string();
        if (is_own(name))
            throw config::Error((*output)->place, "the run writes a file " +
                                                      config::in_quotes(name) +
                                                      " itself; expected another name");
        if (std::ranges::find(files, place_of(folder / name)) != files.end())
            throw config::Error((*output)->place, "'observe' names the same file twice, " +
                                                      config::in_quotes(name) +
                                                      "; expected two names");
        files.push_back(place_of(folder / name));
    }
    return files;
}

} // namespace

void check_names(const config::ObserveConfig& observe, const std::vector<NamedFile>& named,
                 const std::vector<fs::path>& read, const fs::path& output_folder)
{
    const fs::path folder = output_folder.lexically_normal();
    std::vector<fs::path> taken = observed_files(observe, folder);
    const fs::path root = place_of(folder);
    for (const NamedFile& file : named) {
        const fs::path place = place_of(file.path);
        if (names_file_in(file.path, folder) && !config::lies_in(place, root))
            throw std::runtime_error(
                file.option + ": " + config::in_quotes(file.path.string()) +
                " is a link to a place outside the output folder; expected a file in it");
        std::error_code ignored;
        if (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored))
            continue; // A special file such as /dev/null.
        const auto is_there = [&](const fs::path& other) { return place_of(other) == place; };
        const char* why = nullptr;
        if (is_own(place.lexically_proximate(root).string()))
            why = "the run writes itself";
        else if (std::ranges::find(taken, place) != taken.end())
            why = "'observe' or another option writes, too";
        else if (std::ranges::any_of(read, is_there))
            why = "the run reads";
        if (why != nullptr)
            throw std::runtime_error(file.option + ": " + config::in_quotes(file.path.string()) +
                                     " is a file that " + why + "; expected another name");
        taken.push_back(place);
    }
}

} // namespace levee
