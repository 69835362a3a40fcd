// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/processes.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace levee::reproduce {

namespace {

constexpr int signal_base = 128;

[[noreturn]] void fail(const std::string& what, int error)
{
    throw std::runtime_error(what + ": " + std::strerror(error));
}

pid_t start(const Job& job)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, job.log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    std::vector<std::string> words = job.command;
    std::vector<char*> arguments;
    for (std::string& word : words)
        arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        fail(words[0] + " cannot be started", error);
    return child;
}

int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
}

/// Waits for one of `running`; its index and code.
std::pair<std::size_t, int> wait_for_one(std::map<pid_t, std::size_t>& running)
{
    while (true) {
        int status = 0;
        const pid_t child = ::waitpid(-1, &status, 0);
        if (child < 0 && errno != EINTR)
            fail("waiting for a run", errno);
        const auto found = running.find(child);
        if (found == running.end())
            continue;
        const std::size_t index = found->second;
        running.erase(found);
        return {index, code_of(status)};
    }
}

} // namespace

void run_all(const std::vector<Job>& jobs, unsigned at_once,
             const std::function<bool(std::size_t index, int code)>& ended)
{
    std::map<pid_t, std::size_t> running;
    std::size_t next = 0;
    bool more = true;
    while (true) {
        while (more && next < jobs.size() && running.size() < at_once) {
            const pid_t child = start(jobs[next]);
            running.emplace(child, next++);
        }
        if (running.empty())
            return;
        const auto [index, code] = wait_for_one(running);
        more = ended(index, code) && more;
    }
}

} // namespace levee::reproduce
