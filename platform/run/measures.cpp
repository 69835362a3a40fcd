// SPDX-License-Identifier: Apache-2.0
#include "platform/run/measures.hpp"

#include "core/units/clock.hpp"
#include "platform/run/derived.hpp"
#include "platform/run/sampled.hpp"

namespace levee {

using sampling::Figures;

Measures::Measures(const RunContext& run)
    : run_(run), bottlenecks_(bottlenecks::watch(run.inputs.plan, run.system))
{
    if (!run.inputs.prices.empty())
        energy_.emplace(run.inputs.prices, run.inputs.plan, run.system);
    if (run.inputs.work.samples)
        sampler_.emplace(*run.inputs.work.samples, [this](std::uint64_t ps) { return at(ps); });
}

void Measures::phase(levee_phase phase, std::uint64_t ps)
{
    if (energy_)
        energy_->enter(phase, ps);
    if (bottlenecks_)
        bottlenecks_->enter(phase, ps);
}

void Measures::mark(const Mark& mark)
{
    if (sampler_)
        sampler_->mark(mark.part, mark.begins, mark.ps);
}

void Measures::inputs_changed()
{
    if (sampler_)
        sampler_->sample_steps(*run_.inputs.work.samples);
}

/// Returns nothing for a sampled run, whose simulated parts also stand for omitted ones.
std::optional<energy::Attojoules> Measures::energy_until(std::uint64_t ps)
{
    return energy_ && !sampler_ ? std::optional(energy_->total(ps)) : std::nullopt;
}

Figures Measures::at(std::uint64_t ps)
{
    Figures figures;
    figures.phases = run_.recorder.phases(ps);
    figures.reported = run_.recorder.reported();
    const FigureVisitor add = [&](const std::string& component, const Stats& stats) {
        figures.add(component, stats);
    };
    run_.system.report(add);
    run_.observers.count(add);
    figures.ledgers.resize(2);
    if (energy_)
        figures.ledgers[EnergyLedger] = energy_->counts(ps);
    if (bottlenecks_)
        figures.ledgers[BottlenecksLedger] = bottlenecks_->counts(ps);
    return figures;
}

Figures Measures::at_end()
{
    const std::uint64_t ended = run_.recorder.ended_ps(now_ps());
    if (bottlenecks_)
        bottlenecks_->finish(ended);
    return at(ended);
}

void Measures::report(Results& results)
{
    const Figures end = at_end();
    const Figures figures = sampler_ ? sampler_->whole(end) : end;
    texts_ = add(figures, results);
    write(figures);
    if (sampler_)
        report_samples(end, results);
}

Measures::Texts Measures::add(const Figures& figures, Results& results) const
{
    add_figures(figures, results);
    Texts texts;
    if (energy_)
        texts.bill = energy_->report(figures.ledgers[EnergyLedger], results);
    if (bottlenecks_) {
        const std::vector<bottlenecks::PhaseBottlenecks> phases =
            bottlenecks_->phases(figures.ledgers[BottlenecksLedger]);
        bottlenecks::report(phases, results);
        texts.bottlenecks = bottlenecks::text(phases);
    }
    return texts;
}

void Measures::write(const Figures& figures) const
{
    if (run_.inputs.request.take_results)
        return;
    if (energy_)
        energy_->write(figures.ledgers[EnergyLedger], run_.folder.path());
    if (bottlenecks_)
        bottlenecks::write(bottlenecks_->phases(figures.ledgers[BottlenecksLedger]),
                           run_.folder.path());
}

void Measures::report_samples(const Figures& end, Results& results) const
{
    const sampling::Plan& plan = *run_.inputs.work.samples;
    std::vector<Results> varied;
    for (const Figures& figures : sampler_->varied(end))
        (void)add(figures, varied.emplace_back());
    const SamplingErrors errors = sampling_errors(
        plan, [this](std::span<const double> changes) { return sampler_->bound(changes); }, varied,
        sampler_->between(), results);
    if (!run_.inputs.request.take_results)
        run_.folder.write("sampling.csv", sampling_table(errors, results));
    add_sampling(plan, errors, results);
}

std::string Measures::text() const
{
    if (!run_.inputs.request.bounds || texts_.bottlenecks.empty())
        return texts_.bill;
    return texts_.bill.empty() ? texts_.bottlenecks : texts_.bill + "\n" + texts_.bottlenecks;
}

} // namespace levee
