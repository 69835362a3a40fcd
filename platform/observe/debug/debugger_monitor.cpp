// SPDX-License-Identifier: Apache-2.0
// The `monitor` commands that the debugger itself handles: checkpoints, and `until BLOCK
// idle`.
#include "core/config/quantity.hpp"
#include "platform/observe/debug/debugger.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::debug {

/// Executes a command that makes, lists or restores checkpoints. Returns true if the core must
/// continue.
bool Debugger::checkpoint(const std::vector<std::string>& words)
{
    const auto number_of = [&words](std::size_t at) {
        return at < words.size() ? parse_number(words[at]) : std::nullopt;
    };
    if (words[0] == "checkpoints") {
        print(travel_.list().text());
    } else if (words[0] == "restart") {
        const auto id = number_of(1);
        print(id && words.size() == 2 ? travel_.restart(*id) : "expected monitor restart N\n");
    } else if (words.size() == 1 && !over_) {
        hooks_.record({core_.cycles(), now_ps(), core_.instructions()});
        if (travel_.make_checkpoint(true))
            return true;
        print(travel_.list().text());
    } else if (words.size() >= 3 && words[1] == "every") {
        print(checkpoint_every(words));
    } else {
        print(over_ ? "the run is over\n"
                    : "expected monitor checkpoint, or monitor checkpoint every TIME|never\n");
    }
    server_->send("OK");
    return false;
}

std::string Debugger::checkpoint_every(const std::vector<std::string>& words)
{
    std::string text = words[2];
    for (std::size_t i = 3; i < words.size(); ++i)
        text += " " + words[i];
    if (text == "never") {
        travel_.every(0);
        return "no more checkpoints are made automatically\n";
    }
    const auto time = config::parse_quantity(text, config::Dimension::Time);
    if (!time.error.empty() || time.value == 0)
        return "'" + text + "' is not a time; expected " +
               std::string(config::describe(config::Dimension::Time)) + ", or never\n";
    travel_.every(std::max<std::uint64_t>(core_.clock().first_edge(time.value), 1));
    return "a checkpoint every " + text + " from here on\n";
}

bool Debugger::run_monitor(const std::string& command)
{
    const std::vector<std::string> words = words_of(command);
    try {
        if (!words.empty() &&
            (words[0] == "checkpoint" || words[0] == "checkpoints" || words[0] == "restart"))
            return checkpoint(words);
    } catch (const std::runtime_error& error) {
        print(std::string(error.what()) + "\n");
        server_->send("OK");
        return false;
    }
    const std::uint64_t changes = interventions_.by_debugger;
    print(monitor_.run(command));
    if (interventions_.by_debugger != changes)
        travel_.changed();
    monitor_runs_ = !over_ && monitor_.take_wait().has_value();
    if (monitor_runs_)
        control_.run_free();
    else
        server_->send("OK");
    return monitor_runs_;
}

} // namespace levee::debug
