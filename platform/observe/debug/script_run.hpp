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

/// Executes scripts. Their changes take no simulated time, and happen between two events of the
/// run.
class ScriptRuns {
public:
    /// `interventions` counts the scripts' changes. All arguments must outlive the simulation.
    ScriptRuns(const MachineView& machine, CoreStops& stops, Interventions& interventions);
    ScriptRuns(const ScriptRuns&) = delete;
    ScriptRuns& operator=(const ScriptRuns&) = delete;

    /// Executes a monitor command for `show`, and returns its output.
    std::function<std::string(const std::string& command)> show;
    /// Asks the debugger to halt. Returns false if none is connected.
    std::function<bool()> halt;
    /// Receives the output of each command, which may have several lines, with the place in the
    /// script.
    std::function<void(const std::string&)> print;

    void start(Script script);
    /// Called when the core has stopped, for any reason.
    void core_stopped();

    /// Returns, for each pause that the run did not reach, a message "FILE:LINE: 'at ...' was not
    /// reached".
    [[nodiscard]] std::vector<std::string> unreached() const;

private:
    struct Running {
        Script script;
        std::size_t step = 0;
        std::uint64_t seen = 0;
        bool armed = false;
        std::optional<std::uint64_t> counted{};
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
    std::list<Running> running_; // a list, so that the addresses of its elements do not change
    bool watching_ = false;
};

} // namespace levee::debug
