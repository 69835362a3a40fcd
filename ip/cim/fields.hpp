// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/tensor_rows.hpp"
#include "ip/cim/regs.h"

namespace levee::cim {

using Op = levee_cim_operation;

inline constexpr std::uint32_t field_x = operation_field(offsetof(Op, x));
inline constexpr std::uint32_t field_out = operation_field(offsetof(Op, out));
inline constexpr std::uint32_t field_model = operation_field(offsetof(Op, model));
inline constexpr std::uint32_t field_lengths = operation_field(offsetof(Op, lengths));
inline constexpr std::uint32_t field_packed = operation_field(offsetof(Op, packed));

/// Unless `good`, throws CommandFault for the member at offset `member` of the operation.
inline void need(bool good, std::size_t member)
{
    need_field(good, LEVEE_ERROR_FIELD, member);
}

} // namespace levee::cim
