// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"

namespace levee::dram {

/// Of refresh nothing is counted: price lists put it into accesses or into static power.
inline constexpr EnergyEvent events[] = {
    read_event, write_event, {"refresh", EnergyEvent::Unit::Byte}};

inline constexpr Declaration declaration{.type = "dram", .stores = true, .events = events};

} // namespace levee::dram
