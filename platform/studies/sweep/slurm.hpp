// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace levee::sweep {

/// A word as the shell reads it back.
[[nodiscard]] std::string shell_word(const std::string& word);

/// A job array of shards of a sweep.
struct SlurmArray {
    std::string name; ///< name of the job
    std::vector<std::string>
        command;                  ///< command of a task without its shard: a sweep, program first
    std::vector<unsigned> shards; ///< Shards with work, from 1 on.
    unsigned of = 1;              ///< number of all shards
    std::vector<std::string> options; ///< options of sbatch, e.g. "--partition=long"
    std::filesystem::path folder;     ///< Folder for the script and the tasks' logs.
};

/// Submits the array with sbatch and waits until all its tasks have ended in any way; calls
/// `waiting` occasionally meanwhile. Throws std::runtime_error if it cannot be submitted.
void run_array(const SlurmArray& array, const std::function<void()>& waiting);

/// Records added to the journals of a folder since this object was created.
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
