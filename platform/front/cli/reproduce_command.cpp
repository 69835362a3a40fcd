// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/reproduce_command.hpp"

#include <CLI/CLI.hpp>

namespace levee::cli {

void add_reproduce(CLI::App& app, reproduce::Request& request, std::function<int()>& action)
{
    constexpr unsigned most_jobs = 1024;
    CLI::App* command = app.add_subcommand(
        "reproduce", "Run a paper's evaluation: what was published beside what is simulated");
    command->add_option("PAPER", request.paper, "A folder of scenarios, such as kelle")->required();
    command->add_option("--only", request.only, "Of the rows and plots, these")->type_name("ID...");
    command->add_option("-o,--out", request.out,
                        "Folder for tables and runs (default: out/reproduce/PAPER)");
    command
        ->add_option("--jobs", request.jobs, "Runs at the same time (default: one for each core)")
        ->check(CLI::Range(1U, most_jobs));
    command->add_flag("--no-variants", request.no_variants,
                      "Run nothing again under the other assumptions that stand beside");
    command->add_flag("--resume,!--no-resume", request.resume,
                      "Leave out runs that are done (the default); or begin anew");
    command->add_flag("--allow-outside", request.allow_outside, "As of 'levee run'");
    command->add_flag("--quiet", request.quiet, "Print neither the table nor the progress");
    command->callback(
        [&request, &action] { action = [&request] { return reproduce::run_reproduce(request); }; });
}

} // namespace levee::cli
