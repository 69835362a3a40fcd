// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace levee::sweep {

/// Returns the word in quotes, for a shell.
[[nodiscard]] std::string shell_word(const std::string& word);

/// A job array whose tasks are the shards of a study.
struct SlurmArray {
    std::string name;
    std::vector<std::string> command; ///< command of a task, beginning with the program, without
                                      ///< `--shard`
    std::vector<unsigned> shards;     ///< numbers of the shards that have work; the first shard is
                                      ///< 1
    unsigned of = 1;
    std::vector<std::string> options; ///< options of sbatch, such as "--partition=long"
    std::filesystem::path folder;     ///< for the script and the tasks' logs

    /// Returns a task's log file; `shard` is the task's number, or sbatch's pattern for it.
    [[nodiscard]] std::filesystem::path log_of(const std::string& shard) const
    {
        return folder / ("task-" + shard + ".log");
    }
};

/// Submits the array with sbatch and waits until all tasks have ended, with or without success.
/// Meanwhile it calls `waiting` repeatedly. Throws std::runtime_error if the array cannot be
/// submitted.
void run_array(const SlurmArray& array, const std::function<void()>& waiting);

/// Counts the records that are added to a folder's journals. added() returns their number since the
/// previous call or, at first, since the construction.
class JournalWatch {
public:
    explicit JournalWatch(std::filesystem::path folder);
    [[nodiscard]] std::size_t added();

private:
    struct Seen {
        std::filesystem::path file;
        std::uintmax_t bytes = 0;
    };
    [[nodiscard]] std::size_t look();

    std::filesystem::path folder_;
    std::vector<Seen> seen_;
};

} // namespace levee::sweep
