// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/run_files.hpp"

#include <algorithm>
#include <vector>

namespace levee {

namespace {

bool is_own(const std::string& name)
{
    const auto is_name = [&](const char* own) { return name == own; };
    return std::ranges::any_of(result_files, is_name) ||
           std::ranges::any_of(table_files, is_name) ||
           (name.starts_with("energy") && name.ends_with(".csv"));
}

} // namespace

void check_names(const config::ObserveConfig& observe, const std::filesystem::path& output_folder)
{
    const std::filesystem::path folder = output_folder.lexically_normal();
    std::vector<std::string> names;
    for (const auto* output : {&observe.logits, &observe.retention_log, &observe.lifetimes}) {
        if (!*output)
            continue;
        const std::string name =
            (folder / (*output)->name).lexically_normal().lexically_proximate(folder).string();
        if (is_own(name))
            throw config::Error((*output)->place, "the run writes a file " +
                                                      config::in_quotes(name) +
                                                      " itself; expected another name");
        if (std::ranges::find(names, name) != names.end())
            throw config::Error((*output)->place, "two files of 'observe' are called " +
                                                      config::in_quotes(name) +
                                                      "; expected two names");
        names.push_back(name);
    }
}

} // namespace levee
