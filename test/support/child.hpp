// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace levee::test {

/// Runs `work` in a child process and returns the bytes of its result. SystemC elaborates only once
/// per process, so tests that compare simulations need a process for each. Throws if the process
/// failed.
template <class Work> std::vector<std::uint8_t> in_child(Work work)
{
    int ends[2];
    if (pipe(ends) != 0)
        throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        const std::vector<std::uint8_t> result = work();
        size_t sent = 0;
        while (sent < result.size()) {
            const ssize_t n = write(ends[1], result.data() + sent, result.size() - sent);
            if (n <= 0)
                _exit(1);
            sent += static_cast<size_t>(n);
        }
        _exit(0);
    }
    close(ends[1]);
    std::vector<std::uint8_t> result;
    std::uint8_t buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
        result.insert(result.end(), buffer, buffer + n);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0)
        throw std::runtime_error("the child process failed");
    return result;
}

} // namespace levee::test
