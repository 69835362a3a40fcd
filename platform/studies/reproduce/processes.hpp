// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace levee::reproduce {

/// A program to run with what it prints in a file.
struct Job {
    std::vector<std::string> command; ///< the program's file first
    std::filesystem::path log;
};

/// Runs all jobs, at most `at_once` at a time, in order. `ended(index, code)` is called after each
/// in this process; 128 and more: ended by signal code - 128. It returns whether to start more.
/// Throws std::runtime_error if a program cannot be started.
void run_all(const std::vector<Job>& jobs, unsigned at_once,
             const std::function<bool(std::size_t index, int code)>& ended);

} // namespace levee::reproduce
