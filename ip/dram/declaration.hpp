// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"

namespace levee::dram {

/// Refresh is not counted: price lists include it in accesses or in static power.
inline constexpr EnergyEvent events[] = {
    read_event, write_event, {"refresh", EnergyEvent::Unit::Byte}};

inline constexpr Declaration declaration{.type = "dram", .stores = true, .events = events};

} // namespace levee::dram
