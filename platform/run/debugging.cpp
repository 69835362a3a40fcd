// SPDX-License-Identifier: Apache-2.0
#include "platform/run/debugging.hpp"

#include "core/config/quantity.hpp"
#include "platform/run/time_text.hpp"

#include <spdlog/spdlog.h>

#include <cstdio>

namespace levee {

namespace {

constexpr const char* record_file = "checkpoints.jsonl";

} // namespace

bool Debugging::is_wanted(const RunInputs& inputs)
{
    const RunRequest& request = inputs.request;
    return request.gdb_port || request.script || request.checkpoint_every_ps ||
           request.restore_ps || inputs.scenario.observe.script;
}

Debugging::Debugging(const RunContext& run)
    : recorder_(run.recorder), folder_(run.folder), request_(run.inputs.request),
      machine_(run.system, run.inputs.plan, run.inputs.program.image), stops_(run.system.core()),
      scripts_(machine_, stops_, interventions_),
      program_(machine_, run.inputs.program.name,
               [this, &observers = run.observers](const ElfImage& program) {
                   machine_.follow(program);
                   machine_.system().core().hart().set_tohost(program.tohost);
                   observers.program_changed(program);
               }),
      monitor_(machine_, scripts_, program_, interventions_)
{
    run.system.core().attach(nullptr, [this] {
        stops_.stopped();
        scripts_.core_stopped();
        core_stopped();
    });
    scripts_.show = [this](const std::string& command) { return monitor_.run(command); };
    scripts_.halt = [this] { return debugger_ && debugger_->halt_for_script(); };
    scripts_.print = [](const std::string& text) {
        spdlog::get("platform")->clone("script")->info(text);
    };
    if (request_.restore_ps) {
        restored_ = debug::recorded_state(folder_.path() / record_file, *request_.restore_ps);
        stops_.add_cycle(restored_->at.cycle, restored_->at.ps);
    }
    start_scripts(run.inputs);
    if (request_.gdb_port)
        serve(request_);
    if (request_.checkpoint_every_ps)
        next_record();
}

void Debugging::start_scripts(const RunInputs& inputs)
{
    for (const auto& file : {inputs.scenario.observe.script, inputs.request.script})
        if (file)
            scripts_.start(debug::read_script(machine_, *file));
}

void Debugging::serve(const RunRequest& request)
{
    debugger_.emplace(machine_, stops_, scripts_, monitor_, program_, interventions_,
                      debug::Options{*request.gdb_port, request.gdb_wait && !request.restore_ps,
                                     request.gdb_once},
                      hooks());
    std::printf("gdb: listening on 127.0.0.1:%u\n", unsigned{debugger_->port()});
    std::fflush(stdout);
}

debug::RunHooks Debugging::hooks()
{
    debug::RunHooks hooks;
    hooks.kill = [this](const char* why) { recorder_.on_failure(why, sc_core::sc_time_stamp()); };
    hooks.share_text = [this](std::uint64_t* bytes) { recorder_.share_printed(bytes); };
    hooks.text_bytes = [this] { return recorder_.text().size(); };
    hooks.record = [this](const debug::Position& at) { record(at.ps, at); };
    hooks.stopped = [this] { core_stopped(); };
    return hooks;
}

void Debugging::core_stopped()
{
    const riscv::Core& core = machine_.system().core();
    if (next_record_ps_ != 0 && now_ps() >= next_record_ps_) {
        const debug::Position at{core.cycles(), now_ps(), core.instructions()};
        record(next_record_ps_, at);
        next_record();
        if (debugger_)
            debugger_->want_checkpoint();
    }
    if (restored_ && core.cycles() >= restored_->at.cycle && now_ps() >= restored_->at.ps)
        compare();
}

/// Schedules the next recording of the run's state, at the next multiple of the interval.
void Debugging::next_record()
{
    const Picoseconds every = *request_.checkpoint_every_ps;
    next_record_ps_ = (now_ps() / every + 1) * every;
    const riscv::Clock& clock = machine_.system().core().clock();
    stops_.add_cycle(clock.first_edge(next_record_ps_));
}

void Debugging::record(Picoseconds asked_ps, const debug::Position& at)
{
    if (debugger_ && debugger_->travel().repeats())
        return; // this state is already recorded
    if (!states_)
        states_.emplace(folder_.path() / record_file);
    states_->add({asked_ps, at, debug::digest_of(machine_)});
}

void Debugging::compare()
{
    const debug::RecordedState recorded = *restored_;
    restored_.reset();
    std::string names;
    for (const std::string& name : debug::differences(recorded.state, debug::digest_of(machine_)))
        names += (names.empty() ? "" : ", ") + name;
    const std::string time = time_text(recorded.asked_ps);
    if (!names.empty()) {
        recorder_.on_failure("--restore: at " + time + " the state differs from the one in " +
                                 (folder_.path() / record_file).string() +
                                 ", in these parts: " + names,
                             sc_core::sc_time_stamp(), run_state_differs);
        return;
    }
    spdlog::get("platform")
        ->info("--restore: at " + time + " the state equals the recorded one (" +
               std::to_string(recorded.state.size()) + " parts compared)");
    if (debugger_ && request_.gdb_wait)
        debugger_->wait_here();
}

void Debugging::stalled(const std::string& message)
{
    if (debugger_)
        debugger_->stalled(message);
}

void Debugging::finish()
{
    if (debugger_)
        debugger_->ended(*recorder_.exit_code(), recorder_.failure());
    recorder_.share_printed(nullptr);
    debugger_.reset();
}

std::optional<RunFault> Debugging::fault()
{
    if (restored_)
        return RunFault{run_state_differs,
                        "--restore: the program ended before the recorded time " +
                            time_text(restored_->asked_ps)};
    std::string text;
    for (const std::string& pause : scripts_.unreached())
        text += (text.empty() ? "" : "\n") + pause;
    return text.empty() ? std::nullopt : std::optional(RunFault{run_script_unreached, text});
}

void Debugging::report(Results& results)
{
    const auto add = [&results](const char* who, std::uint64_t times) {
        if (times == 0)
            return;
        results.metrics["interventions." + std::string(who)] = times;
        results.warnings.push_back("a " + std::string(who) + " changed registers or memory " +
                                   std::to_string(times) +
                                   " times: the figures include the effects of these changes");
    };
    add("script", interventions_.by_script);
    add("debugger", interventions_.by_debugger);
    if (!program_.warning().empty())
        results.warnings.push_back(program_.warning());
}

} // namespace levee
