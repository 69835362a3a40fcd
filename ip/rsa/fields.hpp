// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/operation.hpp"
#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>

namespace levee::rsa {

inline constexpr std::uint32_t field_a = operation_field(offsetof(levee_rsa_operation, a));
inline constexpr std::uint32_t field_b = operation_field(offsetof(levee_rsa_operation, b));
inline constexpr std::uint32_t field_a_scale =
    operation_field(offsetof(levee_rsa_operation, a_scale));
inline constexpr std::uint32_t field_b_scale =
    operation_field(offsetof(levee_rsa_operation, b_scale));
inline constexpr std::uint32_t field_bias = operation_field(offsetof(levee_rsa_operation, bias));
inline constexpr std::uint32_t field_out = operation_field(offsetof(levee_rsa_operation, out));
inline constexpr std::uint32_t field_lengths =
    operation_field(offsetof(levee_rsa_operation, lengths));
inline constexpr std::uint32_t field_redirect =
    operation_field(offsetof(levee_rsa_operation, redirect));
inline constexpr std::uint32_t field_b_type =
    operation_field(offsetof(levee_rsa_operation, b_type));
inline constexpr std::uint32_t field_tap = operation_field(offsetof(levee_rsa_operation, tap));

} // namespace levee::rsa
