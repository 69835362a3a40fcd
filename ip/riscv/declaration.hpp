// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"

namespace levee::riscv {

inline constexpr EnergyEvent instruction_event{"instruction"}; ///< retired
inline constexpr EnergyEvent events[] = {instruction_event};

inline constexpr Declaration declaration{.type = "core", .events = events};

} // namespace levee::riscv
