// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/slurm.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

/// Runs a shell command for each of the array's shards, all at the same time, and waits until all
/// have ended, however they did; `waiting` is called now and then meanwhile. In the command,
/// {shard} stands for the shard's number, {shards} for their number, and {job} for a script that
/// does the shard whose number is its argument. std::runtime_error if none can be started.
void run_commands(const SlurmArray& array, const std::string& command,
                  const std::function<void()>& waiting);

} // namespace levee::sweep
