// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/account_rates.hpp"
#include "platform/observe/energy/bill.hpp"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/report/results.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace levee::energy {

/// Returns the price lists that a scenario names; empty if it names none. The first list's figures
/// have the prefix `energy.`. Throws config::Error, also for a list that lacks the power of a
/// component.
[[nodiscard]] std::vector<PriceList> read_price_lists(const config::Scenario& scenario,
                                                      const SystemPlan& plan);

/// Returns the names of the energy tables in the folder of an earlier run, for any names of price
/// lists.
[[nodiscard]] std::vector<std::string> tables_in(const std::filesystem::path& folder);

/// Returns the names of the tables of these lists: energy.csv for the first one, and
/// energy_<list>.csv for each other one.
[[nodiscard]] std::vector<std::string> table_names(const std::vector<PriceList>& lists);

/// Energy accounting of a run. Counts its events and computes its figures.
class Accounting {
public:
    /// `lists` must not be empty. `lists` and `system` must outlive this object.
    Accounting(const std::vector<PriceList>& lists, const SystemPlan& plan, System& system);

    void enter(levee_phase phase, Picoseconds now) { meter_.enter(phase, now); }

    /// Returns all counts until `now`. A later call returns the same cells at the same indices, and
    /// may append cells. Callers may subtract two results cell by cell, scale the difference and
    /// add it up, since counts are sums over time.
    [[nodiscard]] const std::vector<std::uint64_t>& counts(Picoseconds now);

    /// Returns the energy until `now` at the first list's prices.
    [[nodiscard]] Attojoules total(Picoseconds now) { return total_.of(counts(now)); }

    /// Computes the figures for these counts (docs/results.md) and the areas, and adds them to
    /// `results`, which must already have times and tokens. Returns a table for the terminal.
    std::string report(std::span<const std::uint64_t> counts, Results& results) const;
    /// Writes the table of each list (table_names()).
    void write(std::span<const std::uint64_t> counts, const std::filesystem::path& folder) const;

private:
    /// Returns the prefix of a list's figures, such as "energy" or "energy_<list>".
    [[nodiscard]] std::string prefix(const PriceList& list, const char* what) const;
    /// Adds the areas of the chip. Returns a line for the terminal with the known area on the chip;
    /// empty if none is known.
    std::string report_areas(const PriceList& list, Results& results) const;

    [[nodiscard]] Bill bill(std::span<const std::uint64_t> counts, const PriceList& list) const;

    const std::vector<PriceList>& lists_;
    /// Prices that were already found, by list. A sampled run prices its counts several times.
    mutable std::map<const PriceList*, AccountRates> rates_;
    Ledger ledger_;
    Meter meter_;
    RunningTotal total_;
};

} // namespace levee::energy
