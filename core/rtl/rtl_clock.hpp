// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "core/command/command_queue.hpp"
#include "core/rtl/lockstep.hpp"

#include <systemc>

#include <cstdint>
#include <string>

namespace levee {

/// Clocks the RTL of one block in simulated time. It starts with each operation and runs while the
/// RTL has work. The operation ends when both its activity and the RTL have ended.
///
/// Data streams stall the design: at any time, the fraction of its data cycles that have passed
/// does not exceed the completed fraction of the activity.
class RtlClock final : private CommandObserver {
public:
    /// Comparison of the design's cycles with the timing rule.
    struct Figures {
        std::uint64_t operations = 0;
        std::uint64_t cycles = 0;      ///< Cycles clocked.
        std::uint64_t held_cycles = 0; ///< Cycles in which streams stalled the design.
        std::uint64_t late = 0;        ///< Operations that ended later than the timing rule states.
        std::uint64_t late_cycles = 0; ///< Total number of cycles by which operations ended late.
        std::uint64_t most_late_cycles = 0;
        std::uint64_t early = 0, early_cycles = 0; ///< Operations that ended early, and the total
                                                   ///< number of these cycles.
        // The operation with most_late_cycles.
        std::uint64_t latest_descriptor = 0, latest_begun_ps = 0;
        std::uint32_t latest_opcode = 0;
    };

    /// `name` is the name of its process. Create it before the simulation starts and keep it until
    /// the end.
    RtlClock(const std::string& name, CommandQueue& queue, RtlStatus& rtl);
    RtlClock(const RtlClock&) = delete;
    RtlClock& operator=(const RtlClock&) = delete;

    [[nodiscard]] const Figures& figures() const { return figures_; }

private:
    void clock_operations();
    [[nodiscard]] bool is_open();
    void pass_cycle();
    void await_design();
    void compare(std::uint64_t activity_ended_ps);

    void taken(const CommandQueue&, std::uint64_t id, std::uint32_t) override { id_ = id; }
    void started(const CommandQueue&, const levee_descriptor& descriptor, const Activity& activity,
                 bool streams) override;

    RtlStatus& rtl_;
    sc_core::sc_event begun_, done_;
    bool is_busy_ = false;
    // State of the current operation.
    /// The activity whose streams stall the design; null: nothing stalls it.
    const Activity* activity_ = nullptr;
    std::uint64_t id_ = 0;
    std::uint32_t opcode_ = 0;
    std::uint64_t begun_ps_ = 0, ended_ps_ = 0;
    std::uint64_t cycles_ = 0, open_cycles_ = 0;
    Figures figures_;
};

} // namespace levee
