// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/measures.hpp"

#include "ip/common/clock.hpp"
#include "platform/studies/run/derived.hpp"

namespace levee {

using sampling::Figures;

Measures::Measures(Recorder& recorder, const SystemPlan& plan, System& system,
                   const LockstepWatch& lockstep, const std::vector<energy::PriceList>& prices)
    : recorder_(recorder), system_(system), lockstep_(lockstep),
      bounds_(bounds::watch(plan, system))
{
    if (!prices.empty())
        energy_.emplace(prices, plan, system);
    recorder.on_phase_change = [this](levee_phase phase, std::uint64_t ps) {
        if (energy_)
            energy_->enter(phase, ps);
        if (bounds_)
            bounds_->enter(phase, ps);
    };
}

Figures Measures::at(std::uint64_t ps)
{
    Figures figures;
    figures.phases = recorder_.phases(ps);
    figures.told = recorder_.told();
    const auto add = [&](const std::string& name, const Stats& stats) { figures.add(name, stats); };
    system_.report(add);
    lockstep_.report(add);
    figures.ledgers.resize(2);
    if (energy_)
        figures.ledgers[EnergyLedger] = energy_->counts(ps);
    if (bounds_)
        figures.ledgers[BoundsLedger] = bounds_->counts(ps);
    return figures;
}

Figures Measures::finish()
{
    const std::uint64_t ended = recorder_.ended_ps(now_ps());
    if (bounds_)
        bounds_->finish(ended);
    return at(ended);
}

Measures::Texts Measures::report(const Figures& figures, Results& results) const
{
    add_figures(figures, results);
    Texts texts;
    if (energy_)
        texts.bill = energy_->report(figures.ledgers[EnergyLedger], results);
    if (bounds_) {
        const std::vector<bounds::PhaseBounds> phases =
            bounds_->phases(figures.ledgers[BoundsLedger]);
        bounds::report(phases, results);
        texts.bounds = bounds::text(phases);
    }
    return texts;
}

void Measures::write(const Figures& figures, const std::filesystem::path& folder) const
{
    if (energy_)
        energy_->write(figures.ledgers[EnergyLedger], folder);
    if (bounds_)
        bounds::write(bounds_->phases(figures.ledgers[BoundsLedger]), folder);
}

} // namespace levee
