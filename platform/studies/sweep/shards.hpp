// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/slurm.hpp"
#include "platform/studies/sweep/sweep.hpp"
#include "platform/studies/sweep/work.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

/// Whether other processes than this one do the runs.
[[nodiscard]] bool runs_elsewhere(const SweepRequest& request);

/// The request's shards of `levee <subcommand>` on the study, each a task; none has work yet.
[[nodiscard]] SlurmArray array_of(const Work& work, const SweepRequest& request,
                                  const std::string& subcommand);

/// Runs the array's shards by Slurm or by the request's command, and waits until all have ended;
/// calls `waiting` now and then meanwhile.
void run_tasks(const SlurmArray& array, const SweepRequest& request,
               const std::function<void()>& waiting);

} // namespace levee::sweep
