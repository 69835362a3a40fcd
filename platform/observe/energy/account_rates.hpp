// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/energy/ledger.hpp"
#include "platform/observe/energy/price_list.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::energy {

/// The prices of a ledger's accounts. Each price is looked up once. The ledger and the price list
/// must outlive this object.
class AccountRates {
public:
    AccountRates(const Ledger& ledger, const PriceList& prices) : ledger_(ledger), prices_(prices)
    {
    }

    /// Returns the price of an account's events; nothing if the list does not charge them. Throws
    /// the same exceptions as PriceList::rate().
    [[nodiscard]] const std::optional<Rate>& of(unsigned account);

private:
    [[nodiscard]] std::optional<Rate> find(unsigned account) const;

    const Ledger& ledger_;
    const PriceList& prices_;
    std::vector<std::optional<Rate>> rates_;
    std::vector<bool> is_known_;
};

/// The total energy of a ledger's counts at a list's prices, for repeated queries while the counts
/// grow. A query prices only the cells whose counts have changed.
class RunningTotal {
public:
    RunningTotal(const Ledger& ledger, const PriceList& prices)
        : ledger_(ledger), rates_(ledger, prices)
    {
    }

    /// `counts` is as in Bill's constructor, with at least the cells of earlier calls.
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
