// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/bill.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// The lists a scenario names, the first of which gives the figures of `energy`; none if it names
/// none. Throws config::Error, also where one says nothing of the power of something in the system.
[[nodiscard]] std::vector<PriceList> read_price_lists(const config::Scenario& scenario,
                                                      const SystemPlan& plan);

/// A run's energy, from its events to its figures.
class Accounting {
public:
    /// `lists`: at least one; they and `system` outlive this.
    Accounting(const std::vector<PriceList>& lists, const SystemPlan& plan, System& system);

    void enter(levee_phase phase, Picoseconds now) { meter_.enter(phase, now); }

    /// All counts until `now`. Later ones have the same cells in the same places, and more behind
    /// them. They are sums over time: differences of two may be scaled and added.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);

    /// Adds the figures of these counts (docs/results.md), and of areas, to `results`, whose
    /// times and tokens must be there. Returns a table to read.
    std::string report(std::span<const std::uint64_t> counts, Results& results) const;
    /// Writes energy.csv, and energy_<list>.csv of the other lists.
    void write(std::span<const std::uint64_t> counts, const std::filesystem::path& folder) const;

private:
    /// "energy", "energy_<list>".
    [[nodiscard]] std::string prefix(const PriceList& list, const char* what) const;
    void report_areas(const PriceList& list, Results& results) const;

    const std::vector<PriceList>& lists_;
    Ledger ledger_;
    Meter meter_;
};

} // namespace levee::energy
