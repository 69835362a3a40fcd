// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/flow_observer.hpp"

#include <systemc>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace levee {

/// An activity in simulated time, with its milestones.
struct Job {
    Activity activity;
    std::uint32_t parts = 1; ///< Number of equal parts of the activity.
    /// Two series of milestones. A series has a milestone after every milestone_every[i] parts; 0:
    /// none. The end of the activity is not a milestone; it notifies `done`.
    std::array<std::uint32_t, 2> milestone_every{0, 0};
    /// Called at the milestone after part `reached` (1 to parts - 1).
    std::function<void(std::uint32_t reached)> on_milestone;
    sc_core::sc_event done;

    /// The next milestone after part `reached`, or nothing.
    [[nodiscard]] std::optional<std::uint32_t> next_milestone() const;

    std::uint32_t reached = 0; ///< Number of parts completed, maintained by FlowEngine.
};

/// Runs all blocks' activities in simulated time and contains the system's only FlowNetwork. An
/// activity costs one event at its end and one at each milestone.
class FlowEngine : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(FlowEngine);
    explicit FlowEngine(const sc_core::sc_module_name& name);

    /// Starts `job`, which must exist until `done` is notified.
    void start(Job& job);
    /// Adds an observer. It must outlive the simulation.
    void observe(FlowObserver& observer) { observers_.push_back(&observer); }

private:
    void wake();
    void settle(Picoseconds now);
    void schedule(Picoseconds now);

    FlowNetwork network_;
    std::vector<Job*> jobs_;
    std::vector<FlowObserver*> observers_;
    sc_core::sc_event next_;
};

[[nodiscard]] Picoseconds now_ps();
/// Waits for this time. If it is zero, returns at once without yielding to other processes.
void pass_time(Picoseconds time);

} // namespace levee
