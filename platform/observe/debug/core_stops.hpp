// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/core.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace levee::debug {

/// Places at which the core must stop: addresses and cycles that a debugger, a script or both want.
/// They do not slow the core's fast loop.
class CoreStops {
public:
    explicit CoreStops(riscv::Core& core) : core_(core) {}
    CoreStops(const CoreStops&) = delete;
    CoreStops& operator=(const CoreStops&) = delete;

    /// Stops in front of the instruction at pc, until removed as often as it was added.
    void add(std::uint32_t pc);
    void remove(std::uint32_t pc);
    /// Lets the core, which has stopped at pc, pass it once.
    void step_over(std::uint32_t pc);
    /// Stops once at the first instruction boundary at or after a cycle or, if the core sleeps
    /// then, at the time `ps` (0: the time of the cycle).
    void add_cycle(std::uint64_t cycle, std::uint64_t ps = 0);
    /// The core has stopped, for any reason: call this first.
    void stopped();

private:
    void next();

    riscv::Core& core_;
    std::map<std::uint32_t, unsigned> points_;
    std::map<std::uint64_t, std::uint64_t> cycles_; // Cycles to stop at, and times to stop at
                                                    // during sleep.
    /// A point that is being passed: cleared until this instruction has been executed.
    struct Passed {
        std::uint32_t pc;
        std::uint64_t instructions; ///< Instructions before the stop.
    };
    std::optional<Passed> passed_;
};

} // namespace levee::debug
