#pragma once

#include "ip/common/flow.hpp"

#include <systemc>

#include <cstdint>
#include <functional>
#include <vector>

namespace levee {

/// An activity in simulated time, with what happens on the way.
struct Job {
    Activity activity;
    std::uint32_t milestones = 1; ///< the activity is divided into so many equal parts
    /// Called when part `reached` (1 to milestones - 1) has been done. The end is `done`.
    std::function<void(std::uint32_t reached)> on_milestone;
    sc_core::sc_event done;

    std::uint32_t reached = 0; ///< kept by FlowEngine
};

/// Runs the activities of all blocks in simulated time: the one FlowNetwork of a system.
class FlowEngine : public sc_core::sc_module {
public:
    SC_HAS_PROCESS(FlowEngine);
    explicit FlowEngine(const sc_core::sc_module_name& name);

    /// Starts `job`, which must live until its `done` is notified.
    void start(Job& job);

private:
    void wake();
    void settle(Picoseconds now);
    void schedule(Picoseconds now);

    FlowNetwork network_;
    std::vector<Job*> jobs_;
    sc_core::sc_event next_;
};

/// Simulated time in picoseconds.
[[nodiscard]] Picoseconds now_ps();

} // namespace levee
