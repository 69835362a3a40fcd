// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"

namespace levee::bus {

inline constexpr EnergyEvent transfer_event{"transfer", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent events[] = {transfer_event};

/// Parameters that `describe` shows for a bus. The platform itself reads their keys.
inline constexpr const char* derived[] = {"latency", "port_bandwidth"};

inline constexpr Declaration declaration{.type = "bus", .events = events, .derived = derived};

} // namespace levee::bus
