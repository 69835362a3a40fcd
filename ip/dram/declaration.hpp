// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/dram/datasheet_keys.hpp"
#include "ip/dram/keys.hpp"

namespace levee::dram {

// Commands, counted instead of bytes for price lists that price them. Bursts are whole ones,
// however few of their bytes are used; a refresh is of one rank's banks, all or one, as configured.
inline constexpr EnergyEvent activate_event{.name = "activate", .by_command = true};
inline constexpr EnergyEvent precharge_event{.name = "precharge", .by_command = true};
inline constexpr EnergyEvent read_burst_event{.name = "read_burst", .by_command = true};
inline constexpr EnergyEvent write_burst_event{.name = "write_burst", .by_command = true};
inline constexpr EnergyEvent refresh_event{.name = "refresh", .by_command = true};
/// Time with streams, in which rows are open, and all other time.
inline constexpr EnergyEvent active_standby_event{
    .name = "active_standby", .unit = EnergyEvent::Unit::Picosecond, .by_command = true};
inline constexpr EnergyEvent idle_standby_event{
    .name = "idle_standby", .unit = EnergyEvent::Unit::Picosecond, .by_command = true};
/// Time in self-refresh, which needs a price wherever there is any; its refreshes are in it.
inline constexpr EnergyEvent self_refresh_event{.name = "self_refresh",
                                                .unit = EnergyEvent::Unit::Picosecond};

inline constexpr EnergyEvent events[] = {
    read_event,        write_event,   activate_event,       precharge_event,    read_burst_event,
    write_burst_event, refresh_event, active_standby_event, idle_standby_event, self_refresh_event};

inline constexpr Declaration declaration{
    .type = "dram",
    .stores = true,
    .events = events,
    .parameters = keys,
    .datasheet = &currents_key,
};

} // namespace levee::dram
