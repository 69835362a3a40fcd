// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

namespace levee {

/// Exit code of a command that a signal has ended in an orderly way.
inline constexpr int ended_by_signal = 130;

/// Thrown to end a command with many runs after one of the signals that StopSignals handles.
struct Interrupted : std::runtime_error {
    using runtime_error::runtime_error;
};

/// While an object of this class exists, signals that ask a process to end (SIGINT, SIGTERM,
/// SIGHUP, SIGUSR1, SIGXCPU and others) do not end it. They can be read from a descriptor instead.
/// One second after the first signal, SIGINT, SIGTERM and SIGQUIT have their usual effect again.
/// Ignored signals stay ignored. Only one object may exist at a time.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// Returns the descriptor that is readable after a signal.
    [[nodiscard]] int descriptor() const { return ends_[0]; }
    /// Waits for a signal or for release(). Returns the signal's name, or an empty text after
    /// release().
    [[nodiscard]] std::string wait() const;
    void release() const;

    /// Makes a forked process ignore these signals, since Ctrl-C reaches both parent and child. The
    /// parent then ends the child. A child that ended by itself would count as failed.
    static void leave_to_parent();

private:
    std::array<int, 2> ends_{-1, -1};
};

/// From now on, a write to a closed pipe, or beyond the limit of file sizes, fails but does not end
/// the process.
void let_writes_fail();

} // namespace levee
