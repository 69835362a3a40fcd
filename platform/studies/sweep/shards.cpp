// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/shards.hpp"

#include "platform/studies/sweep/shard_commands.hpp"

#include <filesystem>

namespace levee::sweep {

namespace fs = std::filesystem;

bool runs_elsewhere(const SweepRequest& request)
{
    return request.slurm || !request.command.empty();
}

SlurmArray array_of(const Work& work, const SweepRequest& request, const std::string& subcommand)
{
    SlurmArray array;
    array.name = "levee-" + work.study.name;
    array.folder = work.out / (request.slurm ? "slurm" : "tasks");
    array.of = request.tasks;
    array.options = request.sbatch;
    array.command = {fs::read_symlink("/proc/self/exe").string(),
                     subcommand,
                     fs::absolute(work.study.file).string(),
                     "--quiet",
                     "--out",
                     work.out.string()};
    for (const std::string& text : request.overrides)
        array.command.insert(array.command.end(), {"--set", text});
    if (request.keep)
        array.command.emplace_back("--keep");
    if (request.allow_outside)
        array.command.emplace_back("--allow-outside");
    return array;
}

void run_tasks(const SlurmArray& array, const SweepRequest& request,
               const std::function<void()>& waiting)
{
    if (request.slurm)
        return run_array(array, waiting);
    run_commands(array, request.command, waiting);
}

} // namespace levee::sweep
