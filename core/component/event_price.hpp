// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "core/config/node.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// Price of an energy event by a datasheet: `zeptojoules` (10^-21 J) for `count` of its units.
struct EventPrice {
    const EnergyEvent* event;
    std::uint64_t zeptojoules;
    std::uint64_t count;
};

/// Converts the datasheets in a price list, which stand at `path`, into prices of all commands of a
/// component (EnergyEvent::by_command). Throws config::Error.
using CommandPricing =
    std::function<std::vector<EventPrice>(const config::Node& datasheets, const std::string& path)>;

} // namespace levee
