// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/account_rates.hpp"

namespace levee::energy {

/// Looks up an account's price. The price of a static power depends on the component as well as on
/// the event.
std::optional<Rate> AccountRates::find(unsigned account) const
{
    const std::vector<Consumer>& all = ledger_.components();
    const auto& [owner, event] = ledger_.accounts()[account];
    const Consumer& component = all[owner];
    if (!prices_.charges(component.type, event))
        return std::nullopt;
    if (component.type == chip_other)
        return prices_.rest_of_power(all);
    return event == "static" ? prices_.power(component, all) : prices_.rate(component, event);
}

const std::optional<Rate>& AccountRates::of(unsigned account)
{
    if (account >= rates_.size()) {
        rates_.resize(ledger_.accounts().size());
        is_known_.resize(rates_.size());
    }
    if (!is_known_[account])
        rates_[account] = find(account);
    is_known_[account] = true;
    return rates_[account];
}

Attojoules RunningTotal::of(std::span<const std::uint64_t> counts)
{
    cells_.resize(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] == cells_[i].count)
            continue;
        const std::optional<Rate>& rate = rates_.of(ledger_.cells()[i].account);
        const Priced now{counts[i], rate ? rate->of(counts[i]) : 0};
        total_ += now.energy;
        total_ -= cells_[i].energy;
        cells_[i] = now;
    }
    return total_;
}

} // namespace levee::energy
