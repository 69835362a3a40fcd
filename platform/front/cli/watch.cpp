// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/watch.hpp"

#include <cerrno>
#include <chrono>
#include <compare>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace levee::cli {

namespace {

constexpr auto between_looks = std::chrono::milliseconds(100);

/// Identifies a state of the file; nothing while the file does not exist.
struct Version {
    ino_t inode;
    off_t bytes;
    std::int64_t seconds, nanoseconds;
    bool operator==(const Version&) const = default;
};

std::optional<Version> version_of(const std::filesystem::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0)
        return std::nullopt;
    return Version{status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

/// Waits briefly. Returns whether the file differs from `before` and was stable during the wait,
/// because a linker may still be writing it.
bool has_changed(const std::filesystem::path& file, const std::optional<Version>& before)
{
    const std::optional<Version> now = version_of(file);
    std::this_thread::sleep_for(between_looks);
    return now && now != before && now == version_of(file);
}

std::string end_of(int status)
{
    return WIFEXITED(status) ? "ended with code " + std::to_string(WEXITSTATUS(status))
                             : "was ended by signal " + std::to_string(WTERMSIG(status));
}

/// Waits until the run ends or the file changes. Returns the run's status, or nothing if it is
/// still running.
std::optional<int> wait_for(pid_t process, const std::filesystem::path& file,
                            const std::optional<Version>& before)
{
    while (true) {
        int status = 0;
        if (::waitpid(process, &status, WNOHANG) == process)
            return status;
        if (has_changed(file, before))
            return std::nullopt;
    }
}

} // namespace

int run_watched(const std::filesystem::path& file, const std::function<int()>& run)
{
    for (unsigned number = 1;; ++number) {
        const std::optional<Version> version = version_of(file);
        std::fflush(nullptr);
        const pid_t parent = ::getpid();
        const pid_t process = ::fork();
        if (process < 0)
            throw std::runtime_error(
                std::string("--watch: a process for the run cannot be started: ") +
                std::strerror(errno));
        if (process == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGTERM);
            if (::getppid() != parent)
                ::_exit(0);
            return run();
        }
        std::optional<int> status = wait_for(process, file, version);
        if (!status) {
            ::kill(process, SIGTERM);
            int ended = 0;
            while (::waitpid(process, &ended, 0) < 0 && errno == EINTR) {
            }
            status = ended;
        }
        std::fprintf(stderr, "--watch: run %u %s; the next one when %s changes\n", number,
                     end_of(*status).c_str(), file.c_str());
        while (!has_changed(file, version)) {
        }
    }
}

} // namespace levee::cli
