// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace levee::sweep {

constexpr int signal_base = 128;

/// Resources that processes hand to those started after their end.
struct Handed {
    std::function<std::string()> give;                  ///< in a task's process, at its end
    std::function<void(const std::string& given)> take; ///< in this one, before others start
};

/// The result of a task's process.
struct Ended {
    int code = 0;       ///< exit code; signal_base and more: ended by the signal code - signal_base
    std::string output; ///< the output that it handed over
    std::string log;    ///< the end of its output
};

/// A task in a process of its own: `slot`, from 0 to below the number of those that run at once, is
/// its alone; its results to `output` is handed over. Returns the exit code.
using Task = std::function<int(std::size_t index, unsigned slot, int output)>;

/// Runs tasks 0 to `count` - 1, at most `at_once` at a time, each in a fork of this process, which
/// has no other threads; they end with this process, however it ends. `ended(index, ...)` is called
/// after each in this process and returns whether to start more. std::runtime_error if a process
/// cannot be started; an exception of `ended` ends all that run.
void run_forks(std::size_t count, unsigned at_once, const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

/// Called in a task's process: true in a copy of it, and false in itself, when that has ended. The
/// copy ends with it. std::runtime_error if it cannot be made.
[[nodiscard]] bool go_on_in_copy();

/// Called in a task's process: its output from now on goes to this file in place of Ended::log,
/// if it can be made. Its folder is made.
void print_into(const std::filesystem::path& file);

/// Called in a task's process, or one like it: writes all of `text`, unless nobody reads.
void hand_over(const std::string& text, int output);

} // namespace levee::sweep
