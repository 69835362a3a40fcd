// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"

namespace levee::riscv {

inline constexpr EnergyEvent instruction_event{"instruction"}; ///< A retired instruction.
inline constexpr EnergyEvent events[] = {instruction_event};

/// Parameters that `describe` shows for a core. The platform itself reads their keys.
inline constexpr const char* derived[] = {"clock", "timebase", "icache", "dcache"};

inline constexpr Declaration declaration{.type = "core", .events = events, .derived = derived};

} // namespace levee::riscv
