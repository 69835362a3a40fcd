// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace levee::sweep {

constexpr int signal_base = 128;

/// Data that a process passes to the processes that start after its end.
struct Handed {
    std::function<std::string()> give;                  ///< called in a task's process at its end
    std::function<void(const std::string& given)> take; ///< called in this process with that text
};

/// The result of a task's process.
struct Ended {
    int code = 0;       ///< exit code; if signal_base or more, signal `code - signal_base` ended
                        ///< the process
    std::string output; ///< the text that it has written to `output`
    std::string log;    ///< the end of what it has printed
};

/// A task, executed in its own process. `slot` is below the number of simultaneous tasks, and no
/// two running tasks have the same slot. The text that the task writes to the descriptor `output`
/// is returned as Ended::output. Returns the exit code.
using Task = std::function<int(std::size_t index, unsigned slot, int output)>;

/// Executes tasks 0 to `count` - 1, at most `at_once` at a time, each in a fork of this process,
/// which must have no other threads. The forks end when this process ends. After each task,
/// `ended(index, ...)` is called in this process, and returns whether to start more. If it throws,
/// all running tasks are killed. Throws std::runtime_error if a process cannot be started.
void run_forks(std::size_t count, unsigned at_once, const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

/// Like the function above, for tasks that become known one by one. `next` is called when a slot is
/// free, and again after each task's end. It returns the index of a task, or nothing. The function
/// returns when no task is running and there is no next one.
void run_forks(const std::function<std::optional<std::size_t>()>& next, unsigned at_once,
               const Task& task, const Handed& handed,
               const std::function<bool(std::size_t index, Ended ended)>& ended);

/// For a task's process. Copies the process and returns true in the copy. In the original it
/// returns false after the copy has ended. The copy also ends if the original does. Throws
/// std::runtime_error if no copy can be made.
[[nodiscard]] bool go_on_in_copy();

/// For a task's process. Redirects its output from now on to this file instead of Ended::log. The
/// file's folder must exist. Throws std::runtime_error if the file cannot be created.
void print_into(const std::filesystem::path& file);

/// Called in a task's process to write all of `text` to `output`. Does nothing if nobody reads it.
void hand_over(const std::string& text, int output);

} // namespace levee::sweep
