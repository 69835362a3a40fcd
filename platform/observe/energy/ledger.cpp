// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/ledger.hpp"

#include <algorithm>

namespace levee::energy {

unsigned Ledger::account(unsigned component, const std::string& event)
{
    for (unsigned i = 0; i < accounts_.size(); ++i)
        if (accounts_[i].component == component && accounts_[i].event == event)
            return i;
    accounts_.push_back({component, event});
    make_room();
    return static_cast<unsigned>(accounts_.size() - 1);
}

unsigned Ledger::operation(const std::string& name)
{
    const auto found = std::find(operations_.begin(), operations_.end(), name);
    if (found != operations_.end())
        return static_cast<unsigned>(found - operations_.begin());
    operations_.push_back(name);
    make_room();
    return static_cast<unsigned>(operations_.size() - 1);
}

void Ledger::make_room()
{
    if (width_ < accounts_.size())
        width_ = 2 * accounts_.size();
    cell_at_.assign(operations_.size() * width_ * phase_names.size(), none);
    for (std::uint32_t i = 0; i < cells_.size(); ++i)
        cell_at_[(cells_[i].operation * width_ + cells_[i].account) * phase_names.size() +
                 cells_[i].phase] = i;
}

std::uint32_t Ledger::open(unsigned account, unsigned operation)
{
    const bool is_first = std::none_of(cells_.begin(), cells_.end(), [account](const Cell& cell) {
        return cell.account == account;
    });
    if (is_first && on_account)
        on_account(components_[accounts_[account].component], accounts_[account].event);
    cells_.push_back({account, operation, phase_});
    counts_.push_back(0);
    return static_cast<std::uint32_t>(cells_.size() - 1);
}

} // namespace levee::energy
