// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"
#include "core/command/command_queue.hpp"
#include "core/rtl/lockstep.hpp"

#include <systemc>

#include <cstdint>
#include <string>

namespace levee {

/// Clocks the RTL of one block in simulated time: from the start of each operation, while it has
/// work. The operation ends when both its activity and the RTL have ended.
///
/// Streams of data hold the design up: the share of its own cycles in which data may have moved is
/// at most the completed share of the activity.
class RtlClock final : private CommandObserver {
public:
    /// Comparison of the design's cycles with the timing rule.
    struct Figures {
        std::uint64_t operations = 0;
        std::uint64_t cycles = 0;      ///< clocked
        std::uint64_t held_cycles = 0; ///< Cycles during which streams held the design up.
        std::uint64_t late = 0;        ///< operations that ended later than the timing rule states
        std::uint64_t late_cycles = 0; ///< Total number of cycles that operations ended late.
        std::uint64_t most_late_cycles = 0;
        std::uint64_t early = 0, early_cycles = 0; ///< Operations that ended early, and the total
                                                   ///< number of cycles.
        // The operation of most_late_cycles.
        std::uint64_t latest_descriptor = 0, latest_begun_ps = 0;
        std::uint32_t latest_opcode = 0;
    };

    /// `name`: name of its process. Made before the simulation starts, and valid to its end.
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
    // The operation.
    /// The activity that delays the design; null: nothing delays it.
    const Activity* activity_ = nullptr;
    std::uint64_t id_ = 0;
    std::uint32_t opcode_ = 0;
    std::uint64_t begun_ps_ = 0, ended_ps_ = 0;
    std::uint64_t cycles_ = 0, open_cycles_ = 0;
    Figures figures_;
};

} // namespace levee
