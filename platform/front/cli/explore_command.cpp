// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/explore_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/sweep_command.hpp"
#include "platform/studies/explore/explore.hpp"
#include "platform/studies/sweep/study.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace levee::cli {

namespace {

void add_budget(CLI::App& command, explore::Request& request)
{
    constexpr std::uint32_t most_points = sweep::most_points;
    command
        .add_option("--points", request.points,
                    "Number of points of the axes to run (default: the study's explore.points)")
        ->check(CLI::Range(1U, most_points));
    command
        .add_option("--generation", request.generation,
                    "Number of points proposed and run together (default: the study's, or 4)")
        ->check(CLI::Range(1U, sweep::most_generation));
    command
        .add_option("--seed", request.seed, "Seed of the optimiser (default: the study's, or 1)")
        ->check(CLI::Range(std::uint64_t{0}, sweep::most_optimiser_seed));
    command
        .add_option("--optimiser", request.optimiser,
                    "Have this Python program propose the points (python/README.md)")
        ->type_name("FILE");
}

} // namespace

void add_explore(CLI::App& app, std::function<int()>& action)
{
    const auto kept = std::make_shared<explore::Request>();
    explore::Request& request = *kept;
    CLI::App* command = app.add_subcommand(
        "explore", "Run the points of a study that an optimiser proposes, within a budget");
    add_study(*command, request);
    add_budget(*command, request);
    command->add_flag("--dry-run", request.dry_run,
                      "Only list the first points, and check their scenarios");
    add_resume_flags(*command, request.resume);
    command->add_flag(
        "--in-flight", request.in_flight,
        "Propose a point whenever a run can begin, instead of by generations; "
        "the proposals then depend on the order in which runs end, which trials.log records");
    add_shards(*command, request,
               "Work as the I-th of N processes that share the folder, in flight; run without "
               "--shard afterwards for the table");
    for (const char* const in_flight : {"--in-flight", "--shard", "--executor"})
        command->get_option("--generation")->excludes(in_flight);
    add_runs(*command, request);
    command->callback([command, kept, &action] {
        check_executor(*command, *kept);
        action = [kept] { return explore::run_explore(*kept); };
    });
}

} // namespace levee::cli
