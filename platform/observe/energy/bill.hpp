// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/account_rates.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee::energy {

/// A ledger's counts at a list's prices. Only cells are rounded, each to an attojoule. All other
/// amounts are sums of cells, so the parts of the total add up exactly.
class Bill {
public:
    struct Line {
        Ledger::Cell cell;
        std::uint64_t count;
        Attojoules energy;
    };
    using Table = std::map<std::string, Attojoules>;
    using Phases = std::array<Attojoules, phase_names.size()>;

    /// `counts` are the counts of the ledger's first cells; the counts of all further cells are 0.
    /// Throws the same exceptions as PriceList::rate(). The ledger must outlive the bill.
    Bill(const Ledger& ledger, std::span<const std::uint64_t> counts, const PriceList& prices);
    /// For several bills of a ledger by one list: `rates` keeps the prices that were found.
    Bill(const Ledger& ledger, std::span<const std::uint64_t> counts, AccountRates& rates);

    [[nodiscard]] const std::vector<Line>& lines() const { return lines_; }
    [[nodiscard]] Attojoules total() const { return on_chip_ + off_chip_; }
    [[nodiscard]] Attojoules on_chip() const { return on_chip_; }
    [[nodiscard]] Attojoules off_chip() const { return off_chip_; }
    [[nodiscard]] const Table& by_component() const { return by_component_; }
    [[nodiscard]] const Table& by_event() const { return by_event_; } ///< keys such as "sram.read"
    [[nodiscard]] const Table& by_operation() const { return by_operation_; }
    [[nodiscard]] const Phases& by_phase() const { return by_phase_; }
    [[nodiscard]] const Phases& phases_of(const std::string& component) const
    {
        return component_phases_.at(component);
    }

    static constexpr const char* csv_head = "component,event,operation,phase,count,attojoules\n";
    /// Returns csv_head, followed by one row for each of lines(), sorted by text.
    [[nodiscard]] std::string csv() const;

private:
    void add(std::span<const std::uint64_t> counts, AccountRates& rates);
    void add(const Line& line);

    const Ledger& ledger_;
    std::vector<Line> lines_;
    Attojoules on_chip_ = 0, off_chip_ = 0;
    Table by_component_, by_event_, by_operation_;
    Phases by_phase_{};
    std::map<std::string, Phases> component_phases_;
};

} // namespace levee::energy
