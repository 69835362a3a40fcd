// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/sram/keys.hpp"

namespace levee::sram {

inline constexpr EnergyEvent events[] = {read_event, write_event};

inline constexpr Declaration declaration{
    .type = "sram", .stores = true, .events = events, .parameters = keys};
/// The core's tightly coupled memory is the same component, with another type name.
inline constexpr Declaration tcm_declaration{
    .type = "tcm", .stores = true, .events = events, .parameters = keys};

} // namespace levee::sram
