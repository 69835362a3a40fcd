// SPDX-License-Identifier: Apache-2.0
#include "platform/run/fault_observers.hpp"

#include "platform/run/debugging.hpp"

#include <systemc>

namespace levee {

namespace {

const faults::Injection& injection_of(const RunInputs& inputs)
{
    if (Debugging::is_wanted(inputs))
        throw config::Error(
            "a run with an injected fault cannot use a script or a debugger; expected neither");
    return *inputs.request.fault;
}

} // namespace

FaultInjection::FaultInjection(const RunContext& run)
    : machine_(run.system, run.inputs.plan, run.inputs.program.image), stops_(run.system.core()),
      injector_(machine_, stops_, injection_of(run.inputs))
{
    run.system.core().attach(nullptr, [this] {
        stops_.stopped();
        injector_.core_stopped();
    });
}

void FaultInjection::report(Results& results)
{
    if (!injector_.has_flipped())
        return;
    results.metrics["interventions.fault"] = std::uint64_t{1};
    results.warnings.emplace_back("a fault was injected: the figures include its effects");
}

FaultSurvey::FaultSurvey(const RunContext& run)
    : run_(run), finder_(run.system, run.inputs.plan, run.inputs.program.image)
{
}

void FaultSurvey::mark(const Mark& mark)
{
    if (mark.begins)
        survey_.passes.push_back({mark.part.kind, mark.part.index, mark.ps, mark.ps});
    else if (!survey_.passes.empty())
        survey_.passes.back().end = mark.ps;
}

void FaultSurvey::token(std::uint32_t sequence, std::uint32_t, std::uint64_t ps)
{
    if (sequence >= survey_.tokens.size())
        survey_.tokens.resize(sequence + 1);
    survey_.tokens[sequence].push_back(ps);
}

void FaultSurvey::report(Results&)
{
    survey_.places = finder_.places();
    survey_.end = run_.recorder.ended_ps(sc_core::sc_time_stamp().value());
    survey_.instructions = run_.system.core().instructions();
    run_.inputs.request.take_fault_places(survey_);
}

} // namespace levee
