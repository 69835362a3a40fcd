// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/amount.hpp"
#include "platform/run/shares.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// Divides a run's energy among its requests.
class EnergyShares {
public:
    /// Works like Shares::spend(). An empty `until_now` means that the run does not count energy.
    void spend(std::optional<energy::Attojoules> until_now, std::vector<std::size_t> owners = {},
               std::size_t parts = 0);

    [[nodiscard]] bool is_known() const { return is_known_; }
    [[nodiscard]] energy::Attojoules of(std::size_t owner) const { return shares_.of(owner); }
    [[nodiscard]] energy::Attojoules idle() const { return shares_.idle(); }
    /// Returns a table cell: a comma and the owner's share in joules, with all digits. If the share
    /// is not known, returns only the comma.
    [[nodiscard]] std::string cell(std::size_t owner) const;
    [[nodiscard]] std::string idle_cell() const;
    /// Returns the table's row for energy that belongs to no request; all other columns of this row
    /// are empty. Returns an empty text if the energy is not known.
    [[nodiscard]] std::string idle_row(std::size_t empty_cells) const;

private:
    bool is_known_ = false;
    Shares shares_;
};

} // namespace levee
