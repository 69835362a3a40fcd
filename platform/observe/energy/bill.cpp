// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/bill.hpp"

#include "platform/observe/energy/account_rates.hpp"

#include <algorithm>

namespace levee::energy {

Bill::Bill(const Ledger& ledger, std::span<const std::uint64_t> counts, const PriceList& prices)
    : ledger_(ledger)
{
    AccountRates rates(ledger, prices);
    add(counts, rates);
}

Bill::Bill(const Ledger& ledger, std::span<const std::uint64_t> counts, AccountRates& rates)
    : ledger_(ledger)
{
    add(counts, rates);
}

void Bill::add(std::span<const std::uint64_t> counts, AccountRates& rates)
{
    for (std::size_t i = 0; i < std::min(counts.size(), ledger_.cells().size()); ++i) {
        if (counts[i] == 0)
            continue;
        const Ledger::Cell& cell = ledger_.cells()[i];
        if (const std::optional<Rate>& rate = rates.of(cell.account))
            add({cell, counts[i], rate->of(counts[i])});
    }
}

void Bill::add(const Line& line)
{
    lines_.push_back(line);
    const Ledger::Account& account = ledger_.accounts()[line.cell.account];
    const Consumer& component = ledger_.components()[account.component];
    (component.on_chip ? on_chip_ : off_chip_) += line.energy;
    by_component_[component.name] += line.energy;
    by_event_[component.name + "." + account.event] += line.energy;
    by_operation_[ledger_.operations()[line.cell.operation]] += line.energy;
    by_phase_[line.cell.phase] += line.energy;
    component_phases_[component.name][line.cell.phase] += line.energy;
}

std::string Bill::csv() const
{
    std::vector<std::string> rows;
    for (const Line& line : lines_) {
        const Ledger::Account& account = ledger_.accounts()[line.cell.account];
        rows.push_back(ledger_.components()[account.component].name + "," + account.event + "," +
                       ledger_.operations()[line.cell.operation] + "," +
                       phase_names[line.cell.phase] + "," + std::to_string(line.count) + "," +
                       decimal(line.energy) + "\n");
    }
    std::sort(rows.begin(), rows.end());
    std::string text = csv_head;
    for (const std::string& row : rows)
        text += row;
    return text;
}

} // namespace levee::energy
