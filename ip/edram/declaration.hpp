// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/boot_info.h"
#include "core/command/declaration.hpp"
#include "ip/edram/geometry.hpp"
#include "ip/edram/regs.h"

namespace levee::edram {

/// Refresh groups by enum levee_edram_group: in scenarios, figures and energy accounts.
inline constexpr const char* group_names[LEVEE_EDRAM_GROUPS] = {"high_msb", "high_lsb", "low_msb",
                                                                "low_lsb"};

inline constexpr EnergyEvent refresh_event{"refresh", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent events[] = {read_event, write_event, refresh_event};

inline constexpr Declaration declaration{
    .type = "edram", .number = LEVEE_BLOCK_EDRAM, .stores = true, .events = events};

} // namespace levee::edram
