// SPDX-License-Identifier: Apache-2.0
#include "platform/run/derived.hpp"

#include "core/numerics/numerics.hpp"
#include "platform/observe/phases.hpp"
#include "platform/observe/report/versions.hpp"

#include <sys/resource.h>

namespace levee {

namespace {

Metric metric(const auto& value)
{
    return std::visit([](auto number) { return Metric(number); }, value);
}

void add_phases(const sampling::Phases& phases, Results& results)
{
    std::uint64_t ended = 0;
    for (const sampling::PhaseFigures& phase : phases)
        ended += phase.ps;
    results.metrics["sim.seconds"] = seconds(ended);
    for (const levee_phase index : {LEVEE_PHASE_PREFILL, LEVEE_PHASE_DECODE}) {
        const std::string name = phase_names[index];
        const sampling::PhaseFigures& phase = phases[index];
        if (phase.ps == 0)
            continue;
        const double duration = seconds(phase.ps);
        results.metrics[name + ".seconds"] = duration;
        if (phase.tokens == 0)
            continue;
        results.metrics[name + ".tokens"] = phase.tokens;
        if (index ==
            LEVEE_PHASE_DECODE) // a prefill makes one token per sequence, so it has no such rate
            results.metrics["decode.tokens_per_s"] = static_cast<double>(phase.tokens) / duration;
    }
}

} // namespace

void add_figures(const sampling::Figures& figures, Results& results)
{
    for (const auto& [name, value] : figures.reported) // added first, so that the platform's
                                                       // figures replace those of the same name
        results.metrics[name] = metric(value);
    add_phases(figures.phases, results);
    for (const auto* list : {&figures.sums, &figures.levels, &figures.times})
        for (const auto& [name, value] : *list)
            results.metrics[name] = metric(value);
}

void add_derived(Results& results, const Work& work)
{
    const PreparedWorkload* const workload = work.prepared ? &*work.prepared : nullptr;
    if (work.model)
        results.metrics["model.format"] = format_name(work.model->weight_format());
    if (const double tokens = results.number("score.tokens"); tokens > 0) {
        const double mean = results.number("score.nll") / tokens;
        // Does not use exp of the C library, whose last bits differ between machines.
        results.metrics["score.perplexity"] =
            static_cast<double>(exp_fp32(static_cast<float>(mean)));
        results.metrics["score.top1_share"] = results.number("score.top1") / tokens;
        if (workload != nullptr && workload->texts != 0)
            results.metrics["score.texts"] = static_cast<std::uint64_t>(workload->texts);
    }
    if (const double guessed = results.number("speculation.guessed"); guessed > 0)
        results.metrics["speculation.acceptance"] = results.number("speculation.right") / guessed;
    if (const double questions = results.number("recall.questions"); questions > 0) {
        results.metrics["recall.share"] = results.number("recall.answered") / questions;
        if (workload != nullptr && workload->recall_chance)
            results.metrics["recall.chance"] = *workload->recall_chance;
    }
}

void add_host_figures(Results& results, const HostTime& time)
{
    results.metrics["host.wall_s"] = time.wall_s;
    results.metrics["host.cpu_s"] = time.cpu_s;
    if (time.cpu_s > 0) {
        results.metrics["host.mips"] = results.number("core.instructions") / time.cpu_s / 1e6;
        std::uint64_t tokens = 0;
        for (const auto& sequence : results.tokens)
            tokens += sequence.size();
        if (tokens != 0)
            results.metrics["host.tokens_per_s"] = static_cast<double>(tokens) / time.cpu_s;
    }
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        results.metrics["host.peak_memory_bytes"] =
            static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    results.metrics["host.compiler"] = compiler_name();
    results.metrics["host.build_type"] = build_type();
}

} // namespace levee
