// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/edram/keys.hpp"
#include "ip/edram/regs.h"

namespace levee::edram {

inline constexpr EnergyEvent refresh_event{"refresh", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent events[] = {read_event, write_event, refresh_event};

/// Parameters that are computed from the keys.
inline constexpr const char* derived[] = {"bandwidth"};

inline constexpr Declaration declaration{
    .type = "edram",
    .number = LEVEE_BLOCK_EDRAM,
    .stores = true,
    .events = events,
    .parameters = keys,
    .derived = derived,
};

} // namespace levee::edram
