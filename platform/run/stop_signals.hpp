// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

namespace levee {

/// The exit code of a command that a signal has ended in order.
inline constexpr int ended_by_signal = 130;

/// Ends a command of many runs: one of the signals below has come.
struct Interrupted : std::runtime_error {
    using runtime_error::runtime_error;
};

/// While one lives, signals that ask a process to end (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU
/// and others) do not end it, but can be read from a descriptor. SIGINT, SIGTERM and SIGQUIT have
/// their usual effect a second behind the first of them. Signals that are ignored stay so. One at a
/// time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Readable when a signal has come.
    [[nodiscard]] int descriptor() const { return ends_[0]; }
    /// Waits for one, or for release(). Returns its name; empty behind release().
    [[nodiscard]] std::string wait() const;
    void release() const;

    /// In a forked process that its parent ends: Ctrl-C goes to both, and one that ended by itself
    /// would be taken to have failed.
    static void leave_to_parent();

private:
    std::array<int, 2> ends_{-1, -1};
};

/// A write into a pipe that nobody reads, or beyond the limit of a file's size, is an error of the
/// write from now on and not the end of the process.
void let_writes_fail();

} // namespace levee
