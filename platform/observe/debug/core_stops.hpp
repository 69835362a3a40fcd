// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/core.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace levee::debug {

/// Addresses and cycles at which the core must stop, for a debugger, a script or both. They do not
/// slow down the core's fast execution loop.
class CoreStops {
public:
    explicit CoreStops(riscv::Core& core) : core_(core) {}
    CoreStops(const CoreStops&) = delete;
    CoreStops& operator=(const CoreStops&) = delete;

    /// Stops the core before the instruction at pc. Each call of add() needs a call of remove().
    void add(std::uint32_t pc);
    void remove(std::uint32_t pc);
    /// Lets the core execute the instruction at pc once, after it has stopped there.
    void step_over(std::uint32_t pc);
    /// Stops the core once, at the first instruction boundary at or after a cycle. If the core
    /// sleeps then, it stops at the time `ps`, or at the cycle's time if `ps` is 0.
    void add_cycle(std::uint64_t cycle, std::uint64_t ps = 0);
    /// Must be the first call whenever the core has stopped, for any reason.
    void stopped();

private:
    void next();

    riscv::Core& core_;
    std::map<std::uint32_t, unsigned> points_;
    std::map<std::uint64_t, std::uint64_t> cycles_;
    /// A breakpoint that step_over() has removed until the core has executed its instruction.
    struct Passed {
        std::uint32_t pc;
        std::uint64_t instructions;
    };
    std::optional<Passed> passed_;
};

} // namespace levee::debug
