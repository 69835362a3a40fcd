// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/checks.hpp"
#include "platform/run/debugging.hpp"
#include "platform/run/draft_share.hpp"
#include "platform/run/fault_observers.hpp"
#include "platform/run/lockstep_watch.hpp"
#include "platform/run/logits_file.hpp"
#include "platform/run/measures.hpp"
#include "platform/run/memory_logs.hpp"
#include "platform/run/observer.hpp"
#include "platform/run/passes.hpp"
#include "platform/run/progress.hpp"
#include "platform/run/requests.hpp"
#include "platform/run/rtl_clocks.hpp"
#include "platform/run/run_report.hpp"
#include "platform/run/traces.hpp"
#include "platform/run/turns.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace levee {

namespace {

/// Reports errors of the program. If a --check finds an error, the run fails.
class CheckReports final : public RunObserver {
public:
    explicit CheckReports(const RunContext& run)
        : recorder_(run.recorder),
          checks_(run.inputs.checks, run.inputs.program.image, run.inputs.plan, run.system,
                  {ends(run.recorder, run_check_failed), ends(run.recorder, run_deadlock)},
                  run.inputs.request.quiet)
    {
        recorder_.on_new_stack = [this](std::uint32_t bottom, std::uint32_t top) {
            checks_.stack_declared(bottom, top);
        };
    }
    void program_changed(const ElfImage& program) override { checks_.program_changed(program); }
    void finish() override { checks_.ended(*recorder_.exit_code()); }
    std::string who_waits() const override { return checks_.who_waits(); }
    std::optional<RunFault> fault() override
    {
        return checks_.found() == 0 ? std::nullopt : std::optional(RunFault{run_check_failed, {}});
    }

private:
    static std::function<void(const std::string&)> ends(Recorder& recorder, int code)
    {
        return [&recorder, code](const std::string& message) {
            recorder.on_failure(message, sc_core::sc_time_stamp(), code);
        };
    }

    Recorder& recorder_;
    checks::Checks checks_;
};

/// Shows the progress of the work on the terminal.
class ProgressLine final : public RunObserver {
public:
    explicit ProgressLine(const RunContext& run)
        : progress_(std::in_place, marks_ahead(run.inputs.scenario, run.inputs.work),
                    run.inputs.request.quiet)
    {
    }
    void mark(const Mark& mark) override
    {
        const std::pair<int, std::int64_t> part(mark.part.kind, mark.part.index);
        if (!mark.begins && std::exchange(counted_, part) != part)
            progress_->step();
    }
    void finish() override { progress_.reset(); }

private:
    std::optional<Progress> progress_;
    std::pair<int, std::int64_t> counted_{0, -1}; ///< the last counted part, since some parts are
                                                  ///< executed several times
};

using Make = std::unique_ptr<RunObserver> (*)(const RunContext&);

/// Creates an observer, unless it has a function `is_wanted` that returns false.
template <typename Observer> std::unique_ptr<RunObserver> make(const RunContext& run)
{
    if constexpr (requires { Observer::is_wanted(run.inputs); })
        if (!Observer::is_wanted(run.inputs))
            return nullptr;
    return std::make_unique<Observer>(run);
}

/// All observers. They are created, called and printed in this order, and finished in reverse.
constexpr Make observers[] = {
    make<Measures>,          // figures, energy, bottlenecks
    make<Turns>,             // workload.turns
    make<RequestTimes>,      // workload.requests
    make<DraftShare>,        // workload.speculation.draft
    make<PassTimes>,         // on request of a caller
    make<InstructionTracer>, // --trace instr
    make<BusTracer>,         // --trace bus
    make<TimelineTracer>,    // --trace timeline
    make<SignalTracer>,      // --trace signals
    make<Profiler>,          // --profile
    make<CheckReports>,      // --check, and errors that stop a block or the core
    make<LockstepWatch>,     // impl: rtl, rtl_cycle and lockstep
    make<RtlClocks>,         // impl: rtl_cycle
    make<LogitsFile>,        // observe.logits
    make<MemoryLogs>,        // observe.retention_log, observe.lifetimes
    make<RunReport>,         // report.html
    make<Debugging>,         // --gdb, --script, observe.script
    make<FaultInjection>,    // levee faults
    make<FaultSurvey>,       // for fault campaigns, in the run without a fault
    make<ProgressLine>,      // on a terminal
};

} // namespace

void Observers::attach(const RunContext& context)
{
    for (const Make make_observer : observers)
        if (auto observer = make_observer(context))
            all_.push_back(std::move(observer));
}

void Observers::phase(levee_phase phase, std::uint64_t ps)
{
    for (const auto& observer : all_)
        observer->phase(phase, ps);
}

void Observers::mark(const Mark& mark)
{
    for (const auto& observer : all_)
        observer->mark(mark);
}

void Observers::inputs_changed()
{
    for (const auto& observer : all_)
        observer->inputs_changed();
}

void Observers::program_changed(const ElfImage& program) const
{
    for (const auto& observer : all_)
        observer->program_changed(program);
}

void Observers::request(levee_request_event event, std::uint32_t number, std::uint64_t ps)
{
    for (const auto& observer : all_)
        observer->request(event, number, ps);
}

void Observers::token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps)
{
    for (const auto& observer : all_)
        observer->token(sequence, id, ps);
}

bool Observers::wants_logits() const
{
    return std::ranges::any_of(all_, [](const auto& observer) { return observer->wants_logits(); });
}

void Observers::logits(std::span<const float> values)
{
    for (const auto& observer : all_)
        observer->logits(values);
}

void Observers::count(const FigureVisitor& visit) const
{
    for (const auto& observer : all_)
        observer->count(visit);
}

std::optional<energy::Attojoules> Observers::energy_until(std::uint64_t ps) const
{
    for (const auto& observer : all_)
        if (const auto energy = observer->energy_until(ps))
            return energy;
    return std::nullopt;
}

std::vector<RequestSpan> Observers::request_spans() const
{
    for (const auto& observer : all_)
        if (std::vector<RequestSpan> spans = observer->request_spans(); !spans.empty())
            return spans;
    return {};
}

std::string Observers::who_waits() const
{
    std::string text;
    for (const auto& observer : all_)
        text += observer->who_waits();
    return text;
}

void Observers::stalled(const std::string& message)
{
    for (const auto& observer : all_)
        observer->stalled(message);
}

std::optional<RunFault> Observers::explain_exception()
{
    for (const auto& observer : all_)
        if (auto fault = observer->explain_exception())
            return fault;
    return std::nullopt;
}

std::vector<RunFault> Observers::finish()
{
    std::vector<RunFault> found;
    for (auto observer = all_.rbegin(); observer != all_.rend(); ++observer)
        try {
            (*observer)->finish();
        } catch (const std::runtime_error& error) {
            found.push_back({1, error.what()});
        }
    return found;
}

std::vector<RunFault> Observers::faults()
{
    std::vector<RunFault> found;
    for (const auto& observer : all_)
        if (auto fault = observer->fault())
            found.push_back(std::move(*fault));
    return found;
}

void Observers::report(Results& results)
{
    for (const auto& observer : all_)
        observer->report(results);
}

void Observers::complete(const Results& results)
{
    for (const auto& observer : all_)
        observer->complete(results);
}

std::vector<std::string> Observers::texts() const
{
    std::vector<std::string> all;
    for (const auto& observer : all_)
        all.push_back(observer->text());
    return all;
}

} // namespace levee
