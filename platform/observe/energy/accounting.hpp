// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/account_rates.hpp"
#include "platform/observe/energy/bill.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Price lists that a scenario names; the first gives the figures `energy.`. Empty if there are
/// none. Throws config::Error, also for a list that states no power for a component of the system.
[[nodiscard]] std::vector<PriceList> read_price_lists(const config::Scenario& scenario,
                                                      const SystemPlan& plan);

/// Removes the tables that Accounting::write has written for an earlier run, whatever the names of
/// lists, but no other files.
void remove_tables(const std::filesystem::path& folder);

/// Energy accounting of a run, from its events to its figures.
class Accounting {
public:
    /// `lists` has at least one entry; it and `system` must outlive this object.
    Accounting(const std::vector<PriceList>& lists, const SystemPlan& plan, System& system);

    void enter(levee_phase phase, Picoseconds now) { meter_.enter(phase, now); }

    /// All counts until `now`. Later results keep the same cells in the same places and append new
    /// ones. Counts are sums over time, so differences may be scaled and added.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);

    /// Energy until `now`, by the first list.
    [[nodiscard]] Attojoules total(Picoseconds now) { return total_.of(counts(now)); }

    /// Adds the figures of these counts (docs/results.md) and of areas to `results`, which must
    /// already hold times and tokens. Returns them as a table for the terminal.
    std::string report(std::span<const std::uint64_t> counts, Results& results) const;
    /// Writes energy.csv, and energy_<list>.csv for each further list.
    void write(std::span<const std::uint64_t> counts, const std::filesystem::path& folder) const;

private:
    /// Name of a list's file and prefix: "energy", "energy_<list>".
    [[nodiscard]] std::string prefix(const PriceList& list, const char* what) const;
    /// Returns the known areas of the chip as a line for the terminal; empty: none is known.
    std::string report_areas(const PriceList& list, Results& results) const;

    const std::vector<PriceList>& lists_;
    Ledger ledger_;
    Meter meter_;
    RunningTotal total_;
};

} // namespace levee::energy
