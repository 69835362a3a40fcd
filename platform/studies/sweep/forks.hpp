// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace levee::sweep {

constexpr int signal_base = 128;

/// Resources that processes hand to those started after their end.
struct Handed {
    std::function<std::string()> give;                  ///< Runs in a task's process at its end.
    std::function<void(const std::string& given)> take; ///< Runs in this process before others
                                                        ///< start.
};

/// The result of a task's process.
struct Ended {
    int code = 0;       ///< exit code; signal_base and more: ended by the signal code - signal_base
    std::string output; ///< the output that it handed over
    std::string log;    ///< the end of its output
};

/// A task in its own process. `slot` counts from 0 and is below the number of simultaneous tasks;
/// no two running tasks share one. Its output to `output` is returned. Returns the exit code.
using Task = std::function<int(std::size_t index, unsigned slot, int output)>;

/// Runs tasks 0 to `count` - 1, at most `at_once` at a time, each in a fork of this process, which
/// has no other threads. They end with this process, however it ends. `ended(index, ...)` is called
/// after each task in this process and returns whether to start more. Throws std::runtime_error if
/// a process cannot be started; an exception from `ended` ends all running tasks.
void run_forks(std::size_t count, unsigned at_once, const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

/// The same for tasks that become known one by one: `next` returns the index of one for each free
/// slot, or nothing, and is asked again after each end. Returns when none runs and there is none.
void run_forks(const std::function<std::optional<std::size_t>()>& next, unsigned at_once,
               const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

/// For a task's process: returns true in a copy of the process, and false in the original when the
/// copy has ended. The copy ends with it. Throws std::runtime_error if no copy can be made.
[[nodiscard]] bool go_on_in_copy();

/// For a task's process: redirects its further output to this file instead of Ended::log, if the
/// file can be created. Creates its folder.
void print_into(const std::filesystem::path& file);

/// Called in a task's process, or one like it: writes all of `text`, unless nobody reads.
void hand_over(const std::string& text, int output);

} // namespace levee::sweep
