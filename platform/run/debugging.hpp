// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/debugger.hpp"
#include "platform/observe/debug/state_record.hpp"
#include "platform/run/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// The observers that can stop a run: the GDB server, scripts, and the recording and comparison of
/// the run's state. The results say if any of these has changed the run.
class Debugging final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs);

    /// Throws config::Error for a script that cannot be executed or a missing record, and
    /// std::runtime_error if the GDB server's port is not available.
    explicit Debugging(const RunContext& run);

    void stalled(const std::string& message) override;
    void finish() override;
    /// Returns a fault if the run did not reach a pause of a script, or did not reach the time of
    /// --restore.
    [[nodiscard]] std::optional<RunFault> fault() override;
    void report(Results& results) override;

private:
    void start_scripts(const RunInputs& inputs);
    void serve(const RunRequest& request);
    [[nodiscard]] debug::RunHooks hooks();
    void core_stopped();
    void next_record();
    void record(Picoseconds asked_ps, const debug::Position& at);
    void compare();

    Recorder& recorder_;
    const OutputFolder& folder_;
    const RunRequest& request_;
    debug::MachineView machine_;
    debug::CoreStops stops_;
    debug::Interventions interventions_;
    debug::ScriptRuns scripts_;
    debug::LoadedProgram program_;
    debug::Monitor monitor_;
    /// The recorded state with which this run's state will be compared; empty after the
    /// comparison.
    std::optional<debug::RecordedState> restored_;
    Picoseconds next_record_ps_ = 0; ///< 0: nothing is recorded
    std::optional<debug::StateRecord> states_;
    std::optional<debug::Debugger> debugger_;
};

} // namespace levee
