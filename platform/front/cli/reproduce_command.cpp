// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/reproduce_command.hpp"

#include <CLI/CLI.hpp>

namespace levee::cli {

void add_reproduce(CLI::App& app, reproduce::Request& request, std::function<int()>& action)
{
    constexpr unsigned most_jobs = 1024;
    CLI::App* command = app.add_subcommand(
        "reproduce", "Run a paper's evaluation, and compare it with the published numbers");
    command->add_option("PAPER", request.paper, "A folder of scenarios, such as kelle")->required();
    command->add_option("--only", request.only, "Only these rows and plots")->type_name("ID...");
    command->add_option("-o,--out", request.out,
                        "Folder for tables and runs (default: out/reproduce/PAPER)");
    command
        ->add_option("--jobs", request.jobs, "Runs at the same time (default: one for each core)")
        ->check(CLI::Range(1U, most_jobs));
    command->add_flag("--no-variants", request.no_variants,
                      "Run the default reading alone, without variants");
    command->add_flag("--resume,!--no-resume", request.resume,
                      "Keep finished runs of the folder (default), or begin again");
    command->add_flag("--allow-outside", request.allow_outside, "As for 'levee run'");
    command->add_flag("--quiet", request.quiet, "Print neither the table nor the progress");
    command->callback(
        [&request, &action] { action = [&request] { return reproduce::run_reproduce(request); }; });
}

} // namespace levee::cli
