// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/sweep_command.hpp"

#include <CLI/CLI.hpp>

namespace levee::cli {

void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action)
{
    constexpr unsigned most_jobs = 1024;
    CLI::App* command =
        app.add_subcommand("sweep", "Run a study: a scenario at many points, in one table");
    command->add_option("STUDY", request.study, "A YAML file, or the name of a shipped one")
        ->required();
    command->add_option("-o,--out", request.out, "Folder for tables and runs (default: out/STUDY)");
    command
        ->add_option("--jobs", request.jobs, "Runs at the same time (default: one for each core)")
        ->check(CLI::Range(1U, most_jobs));
    command->add_flag("--allow-outside", request.allow_outside, "As of 'levee run'");
    command->add_flag("--quiet", request.quiet, "Print neither the table nor the checks");
    command->callback(
        [&request, &action] { action = [&request] { return sweep::run_sweep(request); }; });
}

} // namespace levee::cli
