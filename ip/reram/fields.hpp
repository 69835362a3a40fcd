// SPDX-License-Identifier: Apache-2.0
// Names of the descriptor fields that errors in the data report.
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/reram/regs.h"

#include <cstddef>
#include <cstdint>

namespace levee::reram {

inline constexpr std::uint32_t field_a = operation_field(offsetof(levee_reram_operation, a));
inline constexpr std::uint32_t field_a_scale =
    operation_field(offsetof(levee_reram_operation, a_scale));
inline constexpr std::uint32_t field_b_scale =
    operation_field(offsetof(levee_reram_operation, b_scale));
inline constexpr std::uint32_t field_bias = operation_field(offsetof(levee_reram_operation, bias));
inline constexpr std::uint32_t field_out = operation_field(offsetof(levee_reram_operation, out));

} // namespace levee::reram
