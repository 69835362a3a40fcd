// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "ip/veda/regs.h"

#include <cstddef>
#include <cstdint>

namespace levee::veda {

// Fields of the descriptor, for error messages.
inline constexpr std::uint32_t field_a = operation_field(offsetof(levee_veda_operation, a));
inline constexpr std::uint32_t field_b = operation_field(offsetof(levee_veda_operation, b));
inline constexpr std::uint32_t field_out = operation_field(offsetof(levee_veda_operation, out));
inline constexpr std::uint32_t field_lengths =
    operation_field(offsetof(levee_veda_operation, lengths));
inline constexpr std::uint32_t field_tap = operation_field(offsetof(levee_veda_operation, tap));
inline constexpr std::uint32_t field_work = operation_field(offsetof(levee_veda_operation, work));

} // namespace levee::veda
