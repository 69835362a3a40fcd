// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/core_stops.hpp"
#include "platform/observe/debug/script.hpp"

#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <vector>

namespace levee::debug {

/// Running scripts. Their changes take no simulated time: they happen between two events of the
/// run.
class ScriptRuns {
public:
    /// Changes are counted as scripts'. All arguments must outlive the simulation.
    ScriptRuns(const MachineView& machine, CoreStops& stops, Interventions& interventions);
    ScriptRuns(const ScriptRuns&) = delete;
    ScriptRuns& operator=(const ScriptRuns&) = delete;

    /// Output of a monitor's command, for `show`.
    std::function<std::string(const std::string& command)> show;
    /// Asks the debugger to halt; false: there is none.
    std::function<bool()> halt;
    /// Receives the output of a script: a line and its place.
    std::function<void(const std::string&)> print;

    /// Starts a script, before or during the run.
    void start(Script script);
    /// The core has stopped between two instructions.
    void core_stopped();

    /// "FILE:LINE: 'at ...' was not reached" for each pause that did not occur.
    [[nodiscard]] std::vector<std::string> unreached() const;

private:
    struct Running {
        Script script;
        std::size_t step = 0;                   ///< number of the step for which the script waits
        std::uint64_t seen = 0;                 ///< number of events that the step has counted
        bool armed = false;                     ///< a pause at a pc: in the core's stops
        std::optional<std::uint64_t> counted{}; ///< Instructions before the last stop there.
        std::vector<std::size_t> missed{};
        sc_core::sc_event moved{};
    };

    void follow(Running& running);
    void operation(std::size_t component, const levee_descriptor& descriptor, bool ends);
    void fire(Running& running);
    void go_on(Running& running);
    void act(const Running& running, const ScriptAction& action);
    void say(const Running& running, int line, const std::string& text) const;

    const MachineView& machine_;
    CoreStops& stops_;
    Interventions& interventions_;
    std::list<Running> running_; // stable addresses
    bool watching_ = false;      // the queues
};

} // namespace levee::debug
