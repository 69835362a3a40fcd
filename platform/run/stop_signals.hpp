// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

namespace levee {

/// The exit code of a command that a signal has ended in order.
inline constexpr int ended_by_signal = 130;

/// Ends a command of many runs after one of the signals below.
struct Interrupted : std::runtime_error {
    using runtime_error::runtime_error;
};

/// While an object exists, signals that ask a process to end (SIGINT, SIGTERM, SIGHUP, SIGUSR1,
/// SIGXCPU and others) do not end it, but can be read from a descriptor. One second after the
/// first, SIGINT, SIGTERM and SIGQUIT have their usual effect again. Ignored signals stay ignored.
/// Only one object may exist at a time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Readable after a signal.
    [[nodiscard]] int descriptor() const { return ends_[0]; }
    /// Waits for a signal or for release(). Returns the signal's name; empty after release().
    [[nodiscard]] std::string wait() const;
    void release() const;

    /// For a forked process that its parent ends: Ctrl-C reaches both, and a child that ended by
    /// itself would count as failed.
    static void leave_to_parent();

private:
    std::array<int, 2> ends_{-1, -1};
};

/// From now on a write into a closed pipe, or beyond the limit on file sizes, is an error of the
/// write and does not end the process.
void let_writes_fail();

} // namespace levee
