// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/bounds/bounds.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/studies/run/lockstep_watch.hpp"
#include "platform/studies/run/recorder.hpp"
#include "platform/studies/sampling/figures.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// All that measures a run: what the program tells, what blocks and memories count, energy, and
/// what bounded the time.
class Measures {
public:
    /// All outlive this; `prices` may be empty. Takes the recorder's phase changes.
    Measures(Recorder& recorder, const SystemPlan& plan, System& system,
             const LockstepWatch& lockstep, const std::vector<energy::PriceList>& prices);

    /// All figures as they stand at `ps`, now.
    [[nodiscard]] sampling::Figures at(std::uint64_t ps);
    /// The run ended: its figures.
    [[nodiscard]] sampling::Figures finish();

    /// What to read beside results.json.
    struct Texts {
        std::string bill, bounds;
    };
    /// Adds what `figures` come to.
    Texts report(const sampling::Figures& figures, Results& results) const;
    /// Writes the tables behind them.
    void write(const sampling::Figures& figures, const std::filesystem::path& folder) const;

private:
    enum Ledger { EnergyLedger, BoundsLedger };

    Recorder& recorder_;
    System& system_;
    const LockstepWatch& lockstep_;
    std::optional<energy::Accounting> energy_;
    std::unique_ptr<bounds::Bounds> bounds_;
};

} // namespace levee
