// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/sweep_command.hpp"

#include "platform/front/cli/folder_options.hpp"
#include "platform/front/cli/jobs_option.hpp"
#include "platform/front/cli/shard_option.hpp"
#include "platform/studies/sweep/shards.hpp"

#include <CLI/CLI.hpp>

#include <charconv>

namespace levee::cli {

sweep::Shard parse_shard(const std::string& text, const std::string& whole)
{
    constexpr unsigned most = 100'000;
    const char* const end = text.data() + text.size();
    sweep::Shard shard;
    const auto [slash, status] = std::from_chars(text.data(), end, shard.index);
    if (status == std::errc() && slash != end && *slash == '/') {
        const auto [last, second] = std::from_chars(slash + 1, end, shard.of);
        if (second == std::errc() && last == end && shard.index >= 1 && shard.index <= shard.of &&
            shard.of <= most)
            return shard;
    }
    throw CLI::ValidationError("--shard", "'" + text + "' is not a part of " + whole +
                                              "; expected I/N with "
                                              "I from 1 to N, such as 1/4");
}

namespace {

void add_points(CLI::App& command, sweep::SweepRequest& request)
{
    command.add_flag("--dry-run", request.dry_run,
                     "Only list the points with their overrides, and check their scenarios");
    add_resume_flags(command, request.resume);
}

void choose_executor(sweep::SweepRequest& request, const std::string& word)
{
    request.slurm = word == "slurm";
    request.command = word == "local" || word == "slurm" ? "" : word;
    if (request.command == word && word.find("{shard}") == std::string::npos)
        throw CLI::ValidationError("--executor",
                                   "'" + word +
                                       "' is not an executor; expected local, slurm, or "
                                       "a command with {shard}, such as "
                                       "'ssh node{shard} {job} {shard}'");
}

} // namespace

void add_study(CLI::App& command, sweep::StudyRequest& request)
{
    command.add_option("STUDY", request.study, "A YAML file, or the name of a shipped one")
        ->required();
    add_out_folder(command, request.out, "Folder for tables (default: out/STUDY)");
    command
        .add_option("--set", request.overrides,
                    "Override a key of every point's scenario, as a.b=value")
        ->type_name("KEY=VALUE")
        ->take_all()
        ->allow_extra_args(false);
}

void add_runs(CLI::App& command, sweep::StudyRequest& request)
{
    add_jobs_option(command, request.jobs);
    command.add_flag("--keep", request.keep, "Keep the files of each run, in runs/");
    command.add_flag("--allow-outside", request.allow_outside,
                     "Let scenarios read files outside their folder and the project, and write "
                     "files outside the output folder");
    command.add_flag("--quiet", request.quiet, "Print neither progress nor table nor checks");
}

void add_shards(CLI::App& command, sweep::SweepRequest& request, const std::string& text)
{
    command
        .add_option_function<std::string>(
            "--shard",
            [&request, name = "'levee " + command.get_name() + "'"](const std::string& shard) {
                request.shard = parse_shard(shard, name);
            },
            text)
        ->type_name("I/N");
    constexpr unsigned most_tasks = 10'000;
    command
        .add_option_function<std::string>(
            "--executor", [&request](const std::string& word) { choose_executor(request, word); },
            "Run locally (default), by Slurm (shards as tasks of a job array), or by a command for "
            "each shard, in which {shard}, {shards} and {job} are replaced")
        ->type_name("local|slurm|COMMAND");
    command.get_option("--executor")->excludes("--shard");
    command
        .add_option("--tasks", request.tasks,
                    "Number of shards that the executor runs (default: 16)")
        ->check(CLI::Range(2U, most_tasks));
    command
        .add_option("--sbatch", request.sbatch,
                    "An option to pass to sbatch, as --sbatch=--partition=long")
        ->type_name("OPTION")
        ->take_all()
        ->allow_extra_args(false);
}

void check_executor(const CLI::App& command, const sweep::SweepRequest& request)
{
    if (command.count("--tasks") != 0 && !sweep::runs_elsewhere(request))
        throw CLI::ValidationError("--tasks",
                                   "has no effect without an executor that runs shards; expected "
                                   "--executor slurm or a command, too");
    if (command.count("--sbatch") != 0 && !request.slurm)
        throw CLI::ValidationError("--sbatch",
                                   "has no effect without Slurm; expected --executor slurm, too");
}

void add_sweep(CLI::App& app, sweep::SweepRequest& request, std::function<int()>& action)
{
    CLI::App* command =
        app.add_subcommand("sweep", "Run a study: a scenario at many points, in one table");
    add_study(*command, request);
    add_points(*command, request);
    add_shards(*command, request,
               "Run only every N-th point, starting with the I-th; run without --shard afterwards "
               "for the table");
    add_runs(*command, request);
    command->callback([command, &request, &action] {
        check_executor(*command, request);
        action = [&request] { return sweep::run_sweep(request); };
    });
}

} // namespace levee::cli
