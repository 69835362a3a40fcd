// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/dram/datasheet_keys.hpp"
#include "ip/dram/keys.hpp"

namespace levee::dram {

// Commands, counted instead of bytes if a price list has prices for them. A partly used burst
// counts as a whole one. A refresh takes all banks of a rank or one bank, as configured.
inline constexpr EnergyEvent activate_event{.name = "activate", .by_command = true};
inline constexpr EnergyEvent precharge_event{.name = "precharge", .by_command = true};
inline constexpr EnergyEvent read_burst_event{.name = "read_burst", .by_command = true};
inline constexpr EnergyEvent write_burst_event{.name = "write_burst", .by_command = true};
inline constexpr EnergyEvent refresh_event{.name = "refresh", .by_command = true};
// Active standby: time in which streams run and rows are open. Idle standby: all other time.
inline constexpr EnergyEvent active_standby_event{
    .name = "active_standby", .unit = EnergyEvent::Unit::Picosecond, .by_command = true};
inline constexpr EnergyEvent idle_standby_event{
    .name = "idle_standby", .unit = EnergyEvent::Unit::Picosecond, .by_command = true};
/// Time in self-refresh, with its refreshes. A run in which it occurs needs a price for it.
inline constexpr EnergyEvent self_refresh_event{.name = "self_refresh",
                                                .unit = EnergyEvent::Unit::Picosecond};

inline constexpr EnergyEvent events[] = {
    read_event,        write_event,   activate_event,       precharge_event,    read_burst_event,
    write_burst_event, refresh_event, active_standby_event, idle_standby_event, self_refresh_event};

/// Parameters that follow from the keys.
inline constexpr const char* derived[] = {"capacity", "peak",         "channels", "banks",
                                          "refresh",  "refresh_rate", "prices"};

inline constexpr Declaration declaration{
    .type = "dram",
    .stores = true,
    .events = events,
    .parameters = keys,
    .derived = derived,
    .datasheet = &currents_key,
};

} // namespace levee::dram
