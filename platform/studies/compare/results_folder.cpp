// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/results_folder.hpp"

#include "core/config/bounded_json.hpp"
#include "platform/studies/sweep/figures.hpp"

#include <algorithm>
#include <fstream>
#include <set>
#include <stdexcept>

namespace levee::compare {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string text_of(const json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Adds all values of a tree, by keys such as a.b.c. A list counts as one value.
void flatten(const json& tree, const std::string& key, std::map<std::string, std::string>& values)
{
    if (!tree.is_object()) {
        values[key] = text_of(tree);
        return;
    }
    for (const auto& [name, value] : tree.items())
        flatten(value, key.empty() ? name : key + "." + name, values);
}

json parse_results(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        throw std::runtime_error(file.string() +
                                 ": no such file; expected the folder of a run ('--out')");
    json results = config::bounded_json_file(file).value_or(json());
    if (!results.is_object() || !results.contains("metrics") || !results.contains("scenario") ||
        !results["metrics"].is_object())
        throw std::runtime_error(file.string() + ": no results of a run");
    return results;
}

/// Returns the last `parts` parts of a path.
std::string end_of(const fs::path& path, std::size_t parts)
{
    fs::path end;
    fs::path rest = fs::absolute(path).lexically_normal();
    if (!rest.has_filename())
        rest = rest.parent_path();
    for (std::size_t i = 0; i < parts && rest.has_filename(); ++i) {
        end = end.empty() ? rest.filename() : rest.filename() / end;
        rest = rest.parent_path();
    }
    return end.string();
}

} // namespace

fs::path results_file(const fs::path& folder)
{
    std::error_code ignored;
    return fs::is_regular_file(folder, ignored) ? folder : folder / "results.json";
}

RunResults read_results(const fs::path& folder)
{
    const fs::path file = results_file(folder);
    json results = parse_results(file);
    RunResults run;
    run.name = end_of(folder, 1);
    sweep::add_texts(results["metrics"]);
    for (const auto& [name, value] : results["metrics"].items()) {
        if (name.starts_with("host."))
            continue;
        if (value.is_number())
            run.figures[name] = value.get<double>();
        else
            run.texts[name] = text_of(value);
    }
    flatten(results["scenario"], "", run.scenario);
    run.scenario["seed"] = results.contains("seed") ? results["seed"].dump() : "";
    run.warnings = results.value("warnings", std::vector<std::string>{});
    run.error = results.value("error", "");
    return run;
}

void tell_apart(std::vector<RunResults>& runs, const std::vector<fs::path>& folders)
{
    constexpr std::size_t most_parts = 16;
    for (std::size_t parts = 1; parts <= most_parts; ++parts) {
        std::set<std::string> names;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            runs[i].name = end_of(folders[i], parts);
            names.insert(runs[i].name);
        }
        if (names.size() == runs.size())
            return;
    }
}

} // namespace levee::compare
