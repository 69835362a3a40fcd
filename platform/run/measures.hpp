// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/bottlenecks/bottlenecks.hpp"
#include "platform/observe/energy/accounting.hpp"
#include "platform/run/observer.hpp"
#include "platform/run/sampling/figures.hpp"
#include "platform/run/sampling/sampler.hpp"

#include <memory>
#include <optional>
#include <string>

namespace levee {

/// Collects all figures of a run: the program's reports, counts of blocks, memories and other
/// observers, energy, and bottlenecks. In a sampled run it adds up the weighted figures of the
/// simulated parts.
class Measures final : public RunObserver {
public:
    explicit Measures(const RunContext& run);

    void phase(levee_phase phase, std::uint64_t ps) override;
    void mark(const Mark& mark) override;
    void inputs_changed() override;
    [[nodiscard]] std::optional<energy::Attojoules> energy_until(std::uint64_t ps) override;
    void report(Results& results) override;
    [[nodiscard]] std::string text() const override;

private:
    enum Ledger { EnergyLedger, BottlenecksLedger };
    struct Texts {
        std::string bill, bottlenecks;
    };

    [[nodiscard]] sampling::Figures at(std::uint64_t ps);
    [[nodiscard]] sampling::Figures at_end();
    Texts add(const sampling::Figures& figures, Results& results) const;
    void write(const sampling::Figures& figures) const;
    void report_samples(const sampling::Figures& end, Results& results) const;

    const RunContext run_;
    std::optional<energy::Accounting> energy_;
    std::unique_ptr<bottlenecks::Bottlenecks> bottlenecks_;
    std::optional<sampling::Sampler> sampler_;
    Texts texts_;
};

} // namespace levee
