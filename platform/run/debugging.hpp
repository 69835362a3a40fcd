// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/debugger.hpp"
#include "platform/observe/debug/state_record.hpp"
#include "platform/run/observer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Observers that can stop a run: the GDB server, scripts, and the recording and comparison of its
/// state. Results record whether any of these has changed the run.
class Debugging final : public RunObserver {
public:
    static bool is_wanted(const RunInputs& inputs);

    /// Throws config::Error for a script that cannot be executed or a missing record,
    /// std::runtime_error for an unavailable port.
    explicit Debugging(const RunContext& run);

    void stalled(const std::string& message) override;
    void finish() override;
    /// A fault if a pause of a script, or the time of --restore, was not reached.
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
    /// The expected state; none if it has been compared.
    std::optional<debug::RecordedState> restored_;
    Picoseconds next_record_ps_ = 0; ///< 0: none
    std::optional<debug::StateRecord> states_;
    std::optional<debug::Debugger> debugger_;
};

} // namespace levee
