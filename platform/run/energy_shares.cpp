// SPDX-License-Identifier: Apache-2.0
#include "platform/run/energy_shares.hpp"

#include <utility>

namespace levee {

void EnergyShares::spend(std::optional<energy::Attojoules> until_now,
                         std::vector<std::size_t> owners, std::size_t parts)
{
    if (!until_now)
        return;
    is_known_ = true;
    shares_.spend(*until_now, std::move(owners), parts);
}

std::string EnergyShares::cell(std::size_t owner) const
{
    return is_known_ ? "," + energy::exact_joules(of(owner)) : ",";
}

std::string EnergyShares::idle_row(std::size_t empty_cells) const
{
    if (!is_known_)
        return "";
    return "idle" + std::string(empty_cells, ',') + idle_cell() + "\n";
}

std::string EnergyShares::idle_cell() const
{
    return is_known_ ? "," + energy::exact_joules(idle()) : ",";
}

} // namespace levee
