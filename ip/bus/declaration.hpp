// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"

namespace levee::bus {

inline constexpr EnergyEvent transfer_event{"transfer", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent events[] = {transfer_event};

inline constexpr Declaration declaration{.type = "bus", .events = events};

} // namespace levee::bus
