// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace levee::sweep {

constexpr int signal_base = 128;

/// What a task's process left.
struct Ended {
    int code = 0; ///< of its exit; signal_base and more: ended by the signal code - signal_base
    std::string output; ///< what it handed over
    std::string log;    ///< the last of what it printed
};

/// A task in a process of its own: `slot`, from 0 to below the number of those that run at once, is
/// its alone; what it writes to `output` is handed over. Returns the exit code.
using Task = std::function<int(std::size_t index, unsigned slot, int output)>;

/// Runs tasks 0 to `count` - 1, at most `at_once` at a time, each in a fork of this process, which
/// has no other threads; they end with this process, however it ends. `ended(index, ...)` is called
/// after each in this process and returns whether to start more. std::runtime_error if a process
/// cannot be started; an exception of `ended` ends all that run.
void run_forks(std::size_t count, unsigned at_once, const Task& task,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

} // namespace levee::sweep
