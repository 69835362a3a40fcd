// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/amount.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// Divides a run's energy among its requests. Energy without a request counts as idle. The shares
/// add up to the exact total.
class EnergyShares {
public:
    /// `until_now`: the run's energy so far; empty: energy is not counted. From now on energy is
    /// charged to `owners`, one of `parts` equal parts to each. The remaining parts, and
    /// indivisible attojoules, count as idle. 0 parts: all of it is idle.
    void spend(std::optional<energy::Attojoules> until_now, std::vector<std::size_t> owners = {},
               std::size_t parts = 0);

    [[nodiscard]] bool is_known() const { return is_known_; }
    [[nodiscard]] energy::Attojoules of(std::size_t owner) const
    {
        return owner < shares_.size() ? shares_[owner] : 0;
    }
    [[nodiscard]] energy::Attojoules idle() const { return idle_; }
    /// Text of a table cell: a comma and the owner's share in joules, with all digits; only the
    /// comma if it is not known.
    [[nodiscard]] std::string cell(std::size_t owner) const;
    /// The table's row for energy that belongs to no request; the other columns of the row are
    /// empty. Empty if the energy is not known.
    [[nodiscard]] std::string idle_row(std::size_t empty_cells) const;

private:
    bool is_known_ = false;
    energy::Attojoules until_ = 0, idle_ = 0;
    std::vector<energy::Attojoules> shares_;
    std::vector<std::size_t> owners_;
    std::size_t parts_ = 0;
};

} // namespace levee
