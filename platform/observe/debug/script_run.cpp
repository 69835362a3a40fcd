// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/script_run.hpp"

#include <stdexcept>
#include <utility>

namespace levee::debug {

ScriptRuns::ScriptRuns(const MachineView& machine, CoreStops& stops, Interventions& interventions)
    : machine_(machine), stops_(stops), interventions_(interventions)
{
}

void ScriptRuns::start(Script script)
{
    for (std::size_t i = 0; !watching_ && i < machine_.plan().components.size(); ++i)
        if (QueueView* const queue = machine_.queue(i))
            queue->on_operation = [this, i](const levee_descriptor& descriptor, bool ends) {
                operation(i, descriptor, ends);
            };
    watching_ = true;
    Running& running = running_.emplace_back();
    running.script = std::move(script);
    go_on(running);
    sc_core::sc_spawn([this, &running] { follow(running); }, sc_core::sc_gen_unique_name("script"));
}

/// Executes a script's steps in a SystemC thread, which itself waits for times and counters.
/// Callbacks report operations and addresses.
void ScriptRuns::follow(Running& running)
{
    while (running.step < running.script.steps.size()) {
        const Pause& pause = running.script.steps[running.step].pause;
        if (const auto* time = std::get_if<AtTime>(&pause)) {
            if (time->ps < now_ps()) {
                running.missed.push_back(running.step++);
                go_on(running);
                continue;
            }
            sc_core::wait(sc_core::sc_time::from_value(time->ps - now_ps()));
            fire(running);
        } else if (const auto* counter = std::get_if<AtCounter>(&pause)) {
            SyncCounters& counters = *machine_.sync()->counters;
            while (!counters.reached(counter->counter, counter->value))
                sc_core::wait(counters.changed(counter->counter));
            fire(running);
        } else if (std::holds_alternative<AtStart>(pause)) {
            fire(running);
        } else {
            sc_core::wait(running.moved);
        }
    }
}

void ScriptRuns::operation(std::size_t component, const levee_descriptor& descriptor, bool ends)
{
    for (Running& running : running_) {
        if (running.step >= running.script.steps.size())
            continue;
        const auto* const at = std::get_if<AtOperation>(&running.script.steps[running.step].pause);
        if (at == nullptr || at->component != component || at->ends != ends ||
            at->opcode.value_or(descriptor.opcode) != descriptor.opcode ||
            at->tag.value_or(descriptor.tag) != descriptor.tag || ++running.seen < at->nth)
            continue;
        fire(running);
        running.moved.notify(sc_core::SC_ZERO_TIME);
    }
}

void ScriptRuns::core_stopped()
{
    const riscv::Hart& hart = machine_.system().core().hart();
    for (Running& running : running_) {
        const std::uint32_t pc = hart.pc();
        if (!running.armed || hart.sleeping())
            continue;
        const AtPc at = std::get<AtPc>(running.script.steps[running.step].pause);
        if (at.pc != pc)
            continue;
        stops_.step_over(pc);
        // The core may stop several times before it executes one instruction, for instance during
        // its fetch. Only the first stop counts.
        if (std::exchange(running.counted, hart.instructions()) == hart.instructions() ||
            ++running.seen < at.nth)
            continue;
        stops_.remove(pc);
        running.armed = false;
        fire(running);
        running.moved.notify(sc_core::SC_ZERO_TIME);
    }
}

/// Executes the commands of the current step, and moves on to the next.
void ScriptRuns::fire(Running& running)
{
    for (const ScriptAction& action : running.script.steps[running.step].actions)
        act(running, action);
    ++running.step;
    go_on(running);
}

void ScriptRuns::go_on(Running& running)
{
    running.seen = 0;
    if (running.step >= running.script.steps.size())
        return;
    if (const auto* at = std::get_if<AtPc>(&running.script.steps[running.step].pause)) {
        stops_.add(at->pc);
        running.armed = true;
    }
}

void ScriptRuns::act(const Running& running, const ScriptAction& action)
{
    if (const auto* poke = std::get_if<Poke>(&action.command)) {
        try {
            say(running, action.line, make(machine_, *poke));
            ++interventions_.by_script;
        } catch (const PokeError& error) {
            throw std::runtime_error(running.script.file + ":" + std::to_string(action.line) +
                                     ": " + error.what());
        }
    } else if (const auto* shown = std::get_if<Show>(&action.command)) {
        say(running, action.line, shown->command + "\n" + show(shown->command));
    } else {
        say(running, action.line,
            halt() ? "halts" : "halt: no debugger is connected, so the run goes on");
    }
}

void ScriptRuns::say(const Running& running, int line, const std::string& text) const
{
    std::string all = running.script.file + ":" + std::to_string(line) + " at " +
                      microseconds(now_ps()) + ": " + text;
    while (!all.empty() && all.back() == '\n')
        all.pop_back();
    print(all);
}

std::vector<std::string> ScriptRuns::unreached() const
{
    std::vector<std::string> all;
    const auto add = [&all](const Script& script, const ScriptStep& step) {
        all.push_back(script.file + ":" + std::to_string(step.line) + ": '" + step.text +
                      "' was not reached");
    };
    for (const Running& running : running_) {
        for (const std::size_t step : running.missed)
            add(running.script, running.script.steps[step]);
        for (std::size_t i = running.step; i < running.script.steps.size(); ++i)
            add(running.script, running.script.steps[i]);
    }
    return all;
}

} // namespace levee::debug
