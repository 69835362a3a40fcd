// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/reproduce_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/jobs_option.hpp"

#include <CLI/CLI.hpp>

namespace levee::cli {

void add_reproduce(CLI::App& app, reproduce::Request& request, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "reproduce", "Run a paper's evaluation, and compare it with the published numbers");
    command->add_option("PAPER", request.paper, "A folder of scenarios, such as kelle")->required();
    command->add_option("--only", request.only, "Run only these rows and plots")
        ->type_name("ID...");
    add_out_folder(*command, request.out,
                   "Folder for tables and runs (default: out/reproduce/PAPER)");
    add_jobs_option(*command, request.jobs);
    command->add_flag("--no-variants", request.no_variants,
                      "Run only the default reading, without variants");
    add_resume_flags(*command, request.resume);
    command->add_flag("--allow-outside", request.allow_outside,
                      "Let scenarios read files outside their folder and the project, and write "
                      "files outside the output folder");
    command->add_flag("--quiet", request.quiet, "Print neither the table nor the progress");
    command->callback(
        [&request, &action] { action = [&request] { return reproduce::run_reproduce(request); }; });
}

} // namespace levee::cli
