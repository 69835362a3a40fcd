// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/export_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/jobs_option.hpp"
#include "platform/studies/profile/profile.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace levee::cli {

namespace {

void add_points(CLI::App& command, const char* name, std::vector<std::uint32_t>& values,
                const char* text)
{
    command.add_option(name, values, text)
        ->type_name("N,N,...")
        ->delimiter(',')
        ->check(CLI::Range(1U, 1U << 20));
}

void add_profile(CLI::App& app, std::function<int()>& action)
{
    const auto request = std::make_shared<profile_export::Request>();
    CLI::App* command = app.add_subcommand(
        "profile",
        "Write times of prefill and decode passes by batch size and context, in the format "
        "of LLMServingSim");
    command->add_option("SCENARIO", request->scenario, "A YAML file, or the name of a shipped one")
        ->required();
    add_out_folder(*command, request->out, "Folder of profiles")->required();
    command->add_option("--set", request->overrides, "Override a key of the scenario, as a.b=value")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    command->add_flag("--allow-outside", request->allow_outside,
                      "Let the scenario read files outside its folder and the project");
    command->add_option("--hardware", request->hardware, "Name of the hardware, and of its folder");
    command->add_option("--model", request->model,
                        "Name of the model, and of its folder in the hardware's folder");
    command
        ->add_option("--variant", request->variant,
                     "Name of the number formats, and of their folder in the model's folder")
        ->default_val("levee");
    add_points(*command, "--batch", request->batches, "Batch sizes of decode steps");
    add_points(*command, "--chunk", request->chunks, "Numbers of tokens in prefill passes");
    add_points(*command, "--context", request->contexts,
               "Numbers of tokens in the cache before a pass");
    add_jobs_option(*command, request->jobs, "-j,--jobs");
    command->callback([request, &action] {
        action = [request] { return profile_export::export_profile(*request); };
    });
}

} // namespace

void add_export_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand("export", "Write files for other programs");
    command->require_subcommand(1);
    add_profile(*command, action);
}

} // namespace levee::cli
