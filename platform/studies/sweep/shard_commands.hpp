// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/studies/sweep/slurm.hpp"

#include <functional>
#include <string>

namespace levee::sweep {

/// Executes a shell command for each of the array's shards, all at the same time, and waits until
/// all have ended, with or without success. Meanwhile it calls `waiting` repeatedly. In the
/// command, {shard} is replaced by the shard's number, and {shards} by the number of shards. {job}
/// is replaced by a script that runs the shard whose number is its argument. Throws
/// std::runtime_error if a command cannot be started.
void run_commands(const SlurmArray& array, const std::string& command,
                  const std::function<void()>& waiting);

} // namespace levee::sweep
