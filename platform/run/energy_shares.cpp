// SPDX-License-Identifier: Apache-2.0
#include "platform/run/energy_shares.hpp"

#include <algorithm>

namespace levee {

void EnergyShares::spend(std::optional<energy::Attojoules> until_now,
                         std::vector<std::size_t> owners, std::size_t parts)
{
    if (!until_now)
        return;
    is_known_ = true;
    energy::Attojoules rest = *until_now - until_;
    until_ = *until_now;
    const energy::Attojoules part = parts_ != 0 ? rest / parts_ : 0;
    for (const std::size_t owner : owners_) {
        shares_.resize(std::max(shares_.size(), owner + 1));
        shares_[owner] += part;
        rest -= part;
    }
    idle_ += rest;
    parts_ = std::max(parts, owners.size());
    owners_ = std::move(owners);
}

std::string EnergyShares::cell(std::size_t owner) const
{
    return is_known_ ? "," + energy::exact_joules(of(owner)) : ",";
}

std::string EnergyShares::idle_row(std::size_t empty_cells) const
{
    if (!is_known_)
        return "";
    return "idle" + std::string(empty_cells, ',') + "," + energy::exact_joules(idle_) + "\n";
}

} // namespace levee
