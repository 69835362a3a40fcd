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

/// While one lives, the first SIGINT, SIGTERM or SIGHUP does not end the process, but can be read
/// from a descriptor; the next has its usual effect. Signals that are ignored stay so. One at a
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

} // namespace levee
