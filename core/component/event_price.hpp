// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/config/node.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Price of an energy event according to a datasheet: `zeptojoules` (10^-21 J) per `count` units of
/// the event.
struct EventPrice {
    const EnergyEvent* event;
    std::uint64_t zeptojoules;
    std::uint64_t count;
};

/// Prices of a component's commands according to a datasheet.
struct CommandPrices {
    // NOLINTNEXTLINE(google-explicit-constructor): callers may give only a list of prices
    CommandPrices(std::vector<EventPrice> prices) : events(std::move(prices)) {}

    static constexpr std::uint64_t whole = 1'000'000;

    std::vector<EventPrice> events;
    std::string assumed{}; ///< Parts of the prices that are not published, as a note for the user;
                           ///< empty: none.
    /// Lower and upper bound of each price, in millionths of the price.
    std::uint64_t low = whole, high = whole;
};

/// Converts the datasheets in a price list, at `path`, to prices of all commands of a component
/// (EnergyEvent::by_command). Throws config::Error.
using CommandPricing =
    std::function<CommandPrices(const config::Node& datasheets, const std::string& path)>;

} // namespace levee
