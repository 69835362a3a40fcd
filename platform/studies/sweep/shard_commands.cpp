// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/shard_commands.hpp"

#include "platform/observe/report/output_folder.hpp"
#include "platform/studies/sweep/store.hpp"
#include "platform/studies/sweep/sweep.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/types.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

struct ShardProcess {
    pid_t process;
    unsigned shard;
    std::uintmax_t recorded; ///< bytes in the shard's journal when the process started
};

std::string shard_script(const SlurmArray& array)
{
    std::string text = "#!/bin/sh\nexec";
    for (const std::string& word : array.command)
        text += " " + shell_word(word);
    return text + " --shard \"$1/" + std::to_string(array.of) + "\"\n";
}

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& words)
{
    for (std::size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at)
        for (const auto& [name, value] : words)
            if (text.compare(at, name.size(), name) == 0) {
                text.replace(at, name.size(), value);
                at += value.size() - 1;
                break;
            }
    return text;
}

/// Returns the number of bytes in the shard's journal.
std::uintmax_t recorded_by(const SlurmArray& array, unsigned shard)
{
    std::error_code none;
    const std::uintmax_t bytes =
        fs::file_size(journal_file(array.folder.parent_path(), {shard, array.of}), none);
    return none ? 0 : bytes;
}

/// Starts a shell with the command. Its output goes to the log file.
ShardProcess start(const std::string& command, const SlurmArray& array, unsigned shard)
{
    const fs::path log = array.log_of(std::to_string(shard));
    const std::uintmax_t recorded = recorded_by(array, shard);
    constexpr int log_mode = 0644;
    const int file =
        ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, log_mode);
    if (file < 0)
        throw std::runtime_error(log.string() + ": cannot be written: " + std::strerror(errno));
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(file, STDOUT_FILENO);
        ::dup2(file, STDERR_FILENO);
        ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        ::_exit(127);
    }
    ::close(file);
    if (child < 0)
        throw std::runtime_error("a process for shard " + std::to_string(shard) +
                                 " cannot be started: " + std::strerror(errno));
    return {child, shard, recorded};
}

/// Warns if a shard's command has failed. If a shard has recorded runs, exit code 1 only means that
/// points failed. The table shows these.
void warn_of_end(const SlurmArray& array, const ShardProcess& task, int status)
{
    const bool has_recorded = recorded_by(array, task.shard) > task.recorded;
    if (WIFEXITED(status) && WEXITSTATUS(status) <= (has_recorded ? sweep_failed : 0))
        return;
    const std::string how = WIFEXITED(status)
                                ? "ended with code " + std::to_string(WEXITSTATUS(status))
                                : "was ended by signal " + std::to_string(WTERMSIG(status));
    std::fprintf(stderr, "shard %u/%u %s; see %s\n", task.shard, array.of, how.c_str(),
                 array.log_of(std::to_string(task.shard)).c_str());
}

} // namespace

void run_commands(const SlurmArray& array, const std::string& command,
                  const std::function<void()>& waiting)
{
    constexpr auto between_looks = std::chrono::milliseconds(100);
    const OutputFolder folder =
        OutputFolder(array.folder.parent_path()).inner(array.folder.filename());
    folder.write("job.sh", shard_script(array));
    const std::string job = "sh " + shell_word((folder.path() / "job.sh").string());
    std::vector<ShardProcess> tasks;
    for (const unsigned shard : array.shards)
        tasks.push_back(start(filled(command, {{"{shard}", std::to_string(shard)},
                                               {"{shards}", std::to_string(array.of)},
                                               {"{job}", job}}),
                              array, shard));
    while (!tasks.empty()) {
        std::erase_if(tasks, [&](const ShardProcess& task) {
            int status = 0;
            const pid_t ended = ::waitpid(task.process, &status, WNOHANG);
            if (ended == task.process)
                warn_of_end(array, task, status);
            return ended == task.process || (ended < 0 && errno != EINTR);
        });
        waiting();
        std::this_thread::sleep_for(between_looks);
    }
}

} // namespace levee::sweep
