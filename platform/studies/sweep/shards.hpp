// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/slurm.hpp"
#include "platform/studies/sweep/sweep.hpp"
#include "platform/studies/sweep/work.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

/// Returns whether other processes execute the runs, not this one.
[[nodiscard]] bool runs_elsewhere(const SweepRequest& request);

/// Returns a job array of the request's shards, which execute `levee <subcommand>` on the study.
/// Its list of shards with work is still empty.
[[nodiscard]] SlurmArray array_of(const Work& work, const SweepRequest& request,
                                  const std::string& subcommand);

/// Executes the array's shards by Slurm or by the request's command, and waits until all have
/// ended. Meanwhile it calls `waiting` repeatedly.
void run_tasks(const SlurmArray& array, const SweepRequest& request,
               const std::function<void()>& waiting);

} // namespace levee::sweep
