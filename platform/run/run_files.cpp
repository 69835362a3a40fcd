// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run_files.hpp"

#include "core/config/regular_file.hpp"
#include "platform/observe/energy/accounting.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace levee {

namespace {

/// Returns whether a run may write a file of this name.
bool is_own(const std::string& name)
{
    const auto is_name = [&](const char* own) { return name == own; };
    return std::ranges::any_of(result_files, is_name) ||
           std::ranges::any_of(table_files, is_name) ||
           (name.starts_with("energy") && name.ends_with(".csv"));
}

namespace fs = std::filesystem;

/// Returns the path with links resolved, even if the file does not exist.
fs::path place_of(const fs::path& path)
{
    std::error_code failed;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, failed), failed);
    return failed ? path.lexically_normal() : place;
}

/// Returns whether a name, without following links, is that of a file in the folder or below it.
bool names_file_in(const fs::path& name, const fs::path& folder)
{
    std::error_code ignored;
    const fs::path from = fs::absolute(folder, ignored).lexically_normal();
    const std::string inner =
        fs::absolute(name, ignored).lexically_normal().lexically_proximate(from).string();
    return !inner.starts_with("..") && !inner.starts_with("/");
}

/// Returns the path with links resolved, except if the file itself is a link.
fs::path link_place_of(const fs::path& path)
{
    std::error_code ignored;
    return place_of(fs::absolute(path, ignored).parent_path()) / path.filename();
}

/// Returns whether the file may be the user's table of turns or requests. A run's own tables begin
/// with the column "turn" or "request".
bool is_input_table(const fs::path& file)
{
    std::string head;
    std::ifstream stream = config::regular_stream(file);
    if (!std::getline(stream, head))
        return false;
    return (file.filename() == "turns.csv" && !head.starts_with("turn,")) ||
           (file.filename() == "requests.csv" && !head.starts_with("request,"));
}

/// Returns the entry of `names` that is `file`, or the target of the link `file`; empty if none is.
/// The names are relative to the folder `root`.
std::string name_among(const std::vector<std::string>& names, const fs::path& file,
                       const fs::path& root)
{
    for (const fs::path& place : {place_of(file), link_place_of(file)})
        if (std::string name = place.lexically_proximate(root).string();
            std::ranges::find(names, name) != names.end())
            return name;
    return "";
}

/// Throws if the run reads a table of an earlier run, which it would remove.
void check_removed(const std::vector<fs::path>& read, const fs::path& folder)
{
    const std::vector<std::string> removed = earlier_tables(folder);
    for (const fs::path& file : read)
        if (!name_among(removed, file, place_of(folder)).empty())
            throw std::runtime_error(config::in_quotes(file.string()) +
                                     " is a file that the run reads, and the run removes the "
                                     "tables of earlier runs from its output folder; expected "
                                     "another folder");
}

/// Throws if the run would replace a table that no run has written.
void check_tables(const std::vector<std::string>& written, const fs::path& folder)
{
    for (const std::string& name : written)
        if (is_input_table(folder / name))
            throw std::runtime_error("the run writes " + config::in_quotes(name) +
                                     ", and its output folder holds a table that no run wrote, " +
                                     config::in_quotes((folder / name).string()) +
                                     "; expected another folder");
}

/// Returns whether a file of the list is the one at `place`, a path without links.
bool is_among(const std::vector<fs::path>& files, const fs::path& place)
{
    return std::ranges::any_of(files,
                               [&](const fs::path& file) { return place_of(file) == place; });
}

/// Returns the paths of the files of `observe:`. Throws for names that are not allowed.
std::vector<fs::path> observed_files(const config::ObserveConfig& observe,
                                     const std::vector<fs::path>& read, const fs::path& folder)
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
        if (is_among(read, place_of(folder / name)))
            throw config::Error((*output)->place, "the run reads the file " +
                                                      config::in_quotes(name) +
                                                      "; expected another name");
        files.push_back(place_of(folder / name));
    }
    return files;
}

} // namespace

std::vector<std::string> earlier_tables(const fs::path& folder)
{
    std::error_code ignored;
    if (!fs::exists(folder / "results.json", ignored))
        return {};
    std::vector<std::string> tables = energy::tables_in(folder);
    for (const char* table : table_files)
        if (fs::exists(folder / table, ignored) && !is_input_table(folder / table))
            tables.emplace_back(table);
    return tables;
}

void check_read(const std::string& who, const std::vector<fs::path>& read,
                const std::vector<std::string>& written, const fs::path& folder)
{
    for (const fs::path& file : read)
        if (const std::string name = name_among(written, file, place_of(folder)); !name.empty())
            throw std::runtime_error(config::in_quotes(file.string()) + " is a file that " + who +
                                     " reads, and " + who + " writes " + config::in_quotes(name) +
                                     " into its output folder; expected another folder");
}

bool is_one_of(const std::vector<fs::path>& files, const fs::path& file)
{
    return is_among(files, place_of(file));
}

void check_names(const config::ObserveConfig& observe, const std::vector<NamedFile>& named,
                 const RunFiles& files, const fs::path& output_folder)
{
    const std::vector<fs::path>& read = files.read;
    const fs::path folder = output_folder.lexically_normal();
    const fs::path root = place_of(folder);
    check_read("the run", read, files.written, folder);
    check_removed(read, folder);
    check_tables(files.written, folder);
    std::vector<fs::path> taken = observed_files(observe, read, folder);
    for (const NamedFile& file : named) {
        const fs::path place = place_of(file.path);
        if (names_file_in(file.path, folder) && !config::lies_in(place, root))
            throw std::runtime_error(
                file.option + ": " + config::in_quotes(file.path.string()) +
                " is a link to a place outside the output folder; expected a file in it");
        std::error_code ignored;
        if (fs::exists(place, ignored) && !fs::is_regular_file(place, ignored))
            continue; // a special file such as /dev/null
        const char* why = nullptr;
        if (is_own(place.lexically_proximate(root).string()))
            why = "the run writes itself";
        else if (std::ranges::find(taken, place) != taken.end())
            why = "'observe' or another option writes, too";
        else if (is_among(read, place))
            why = "the run reads";
        if (why != nullptr)
            throw std::runtime_error(file.option + ": " + config::in_quotes(file.path.string()) +
                                     " is a file that " + why + "; expected another name");
        taken.push_back(place);
    }
}

} // namespace levee
