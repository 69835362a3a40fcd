// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/ledger.hpp"
#include "platform/observe/energy/price_list.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::energy {

/// The prices of a ledger's accounts, each found once. Ledger and list must outlive them.
class AccountRates {
public:
    AccountRates(const Ledger& ledger, const PriceList& prices) : ledger_(ledger), prices_(prices)
    {
    }

    /// The price of an account's events; nothing if the list does not charge them. Throws as
    /// PriceList::rate().
    [[nodiscard]] const std::optional<Rate>& of(unsigned account);

private:
    [[nodiscard]] std::optional<Rate> find(unsigned account) const;

    const Ledger& ledger_;
    const PriceList& prices_;
    std::vector<std::optional<Rate>> rates_;
    std::vector<bool> is_known_;
};

/// Total of a ledger's growing counts at a list's prices: a Bill in which only cells with changed
/// counts are priced again.
class RunningTotal {
public:
    RunningTotal(const Ledger& ledger, const PriceList& prices)
        : ledger_(ledger), rates_(ledger, prices)
    {
    }

    /// `counts`: like those of a Bill, for all cells priced so far.
    [[nodiscard]] Attojoules of(std::span<const std::uint64_t> counts);

private:
    struct Priced {
        std::uint64_t count = 0;
        Attojoules energy = 0;
    };

    const Ledger& ledger_;
    AccountRates rates_;
    std::vector<Priced> cells_;
    Attojoules total_ = 0;
};

} // namespace levee::energy
