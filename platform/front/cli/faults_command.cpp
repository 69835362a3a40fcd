// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/faults_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/jobs_option.hpp"
#include "platform/front/cli/shard_option.hpp"
#include "platform/studies/faults/campaign.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace levee::cli {

void add_faults_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "faults",
        "Run a fault campaign: flip one bit in each run of a scenario, and classify the outcomes");
    const auto request = std::make_shared<campaign::CampaignRequest>();
    command
        ->add_option("STUDY", request->study,
                     "A YAML file, or the name of a shipped one; with --sites, a scenario")
        ->required();
    command->add_flag("--sites", request->sites,
                      "Only list the places of a scenario that faults can hit, with their bits");
    command->add_flag("--dry-run", request->dry_run,
                      "Only list the study's sites, and check its scenario");
    add_out_folder(*command, request->out, "Folder for tables (default: out/STUDY)");
    command
        ->add_option("--set", request->overrides,
                     "Override a key of the scenario in every run, as a.b=value")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
    add_resume_flags(*command, request->resume);
    command
        ->add_option_function<std::string>(
            "--shard",
            [request](const std::string& text) {
                request->shard = parse_shard(text, "a campaign");
            },
            "Run only every N-th injection of each site, starting with the I-th; run without "
            "--shard afterwards for the tables")
        ->type_name("I/N");
    add_jobs_option(*command, request->jobs);
    command->add_flag("--allow-outside", request->allow_outside,
                      "Let the scenario read files outside its folder and the project, and write "
                      "files outside the output folder");
    command->add_flag("--quiet", request->quiet, "Print neither progress nor table");
    command->callback(
        [&action, request] { action = [request] { return campaign::run_campaign(*request); }; });
}

} // namespace levee::cli
