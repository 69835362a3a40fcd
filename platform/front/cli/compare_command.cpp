// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/compare_command.hpp"

#include "platform/front/cli/folder_options.hpp"

#include <CLI/CLI.hpp>

namespace levee::cli {

void add_compare(CLI::App& app, compare::Request& request, std::function<int()>& action)
{
    constexpr int most = 100;
    CLI::App* command = app.add_subcommand(
        "compare", "Show results of runs side by side, and explain their differences");
    command
        ->add_option("RUNS", request.folders,
                     "Folders of runs (their '--out'); the first is the baseline")
        ->required()
        ->expected(2, most);
    command->add_option("--csv", request.csv, "Write the whole table into this file")
        ->type_name("FILE");
    add_out_folder(*command, request.out,
                   "Write compare.txt, compare.csv, compare.json and report.html into this folder");
    command->add_flag("--quiet", request.quiet, "Print nothing");
    command->callback(
        [&request, &action] { action = [&request] { return compare::run_compare(request); }; });
}

} // namespace levee::cli
