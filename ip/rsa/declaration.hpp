// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/rsa/keys.hpp"
#include "ip/rsa/regs.h"

namespace levee::rsa {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_rsa_operation, a),           LEVEE_FIELD(levee_rsa_operation, a_scale),
    LEVEE_FIELD(levee_rsa_operation, b),           LEVEE_FIELD(levee_rsa_operation, b_scale),
    LEVEE_FIELD(levee_rsa_operation, bias),        LEVEE_FIELD(levee_rsa_operation, out),
    LEVEE_FIELD(levee_rsa_operation, lengths),     LEVEE_FIELD(levee_rsa_operation, redirect),
    LEVEE_FIELD(levee_rsa_operation, a_stride),    LEVEE_FIELD(levee_rsa_operation, a_scale_stride),
    LEVEE_FIELD(levee_rsa_operation, b_stride),    LEVEE_FIELD(levee_rsa_operation, b_scale_stride),
    LEVEE_FIELD(levee_rsa_operation, out_stride),  LEVEE_FIELD(levee_rsa_operation, lengths_stride),
    LEVEE_FIELD(levee_rsa_operation, outer),       LEVEE_FIELD(levee_rsa_operation, m1),
    LEVEE_FIELD(levee_rsa_operation, m0),          LEVEE_FIELD(levee_rsa_operation, k),
    LEVEE_FIELD(levee_rsa_operation, n),           LEVEE_FIELD(levee_rsa_operation, alpha),
    LEVEE_TYPE_FIELD(levee_rsa_operation, a_type), LEVEE_TYPE_FIELD(levee_rsa_operation, b_type),
    LEVEE_FIELD(levee_rsa_operation, flags),       LEVEE_FIELD(levee_rsa_operation, ragged),
    LEVEE_FIELD(levee_rsa_operation, length_add),  LEVEE_PORT_FIELD(levee_rsa_operation, tap),
};

inline constexpr Opcode opcodes[] = {{LEVEE_RSA_GEMM, "GEMM"}};

/// A multiply-accumulate of two bytes. A product of wider elements counts as several.
inline constexpr EnergyEvent mac_event{.name = "mac", .is_mac = true};
/// An FP32 multiplication and addition, for each sum of a group if B has groups of scales.
inline constexpr EnergyEvent scale_event{.name = "scale"};
inline constexpr EnergyEvent events[] = {mac_event, scale_event};

/// Operands that may not overlap the result, because they are read more than once: A for each fold
/// of columns, B for each block of rows, scales and bias for each result.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_rsa_operation, out, a),       LEVEE_APART(levee_rsa_operation, out, b),
    LEVEE_APART(levee_rsa_operation, out, a_scale), LEVEE_APART(levee_rsa_operation, out, b_scale),
    LEVEE_APART(levee_rsa_operation, out, bias),
};

inline constexpr TensorType types[] = {
    {offsetof(levee_rsa_operation, a), offsetof(levee_rsa_operation, a_type)},
    {offsetof(levee_rsa_operation, b), offsetof(levee_rsa_operation, b_type)},
    {offsetof(levee_rsa_operation, a_scale), TensorType::none, LEVEE_TYPE_FP32},
    {offsetof(levee_rsa_operation, b_scale), TensorType::none, LEVEE_TYPE_FP32},
    {offsetof(levee_rsa_operation, bias), TensorType::none, LEVEE_TYPE_FP32},
    {offsetof(levee_rsa_operation, out), TensorType::none, LEVEE_TYPE_FP32},
};

inline constexpr TensorRows rows[] = {
    {offsetof(levee_rsa_operation, a),
     offsetof(levee_rsa_operation, a_stride) + 3 * sizeof(std::int32_t),
     {offsetof(levee_rsa_operation, m0), offsetof(levee_rsa_operation, m0)}},
    {offsetof(levee_rsa_operation, a),
     offsetof(levee_rsa_operation, a_stride) + 2 * sizeof(std::int32_t),
     {offsetof(levee_rsa_operation, m1), offsetof(levee_rsa_operation, m1)}},
    {offsetof(levee_rsa_operation, b),
     offsetof(levee_rsa_operation, b_stride) + 2 * sizeof(std::int32_t),
     {offsetof(levee_rsa_operation, n), offsetof(levee_rsa_operation, k)}},
    {offsetof(levee_rsa_operation, out),
     offsetof(levee_rsa_operation, out_stride) + 3 * sizeof(std::int32_t),
     {offsetof(levee_rsa_operation, m0), offsetof(levee_rsa_operation, m0)}},
};

inline constexpr Declaration declaration{
    .type = "rsa",
    .number = LEVEE_BLOCK_RSA,
    .interrupts = true,
    .operation_bytes = sizeof(levee_rsa_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .types = types,
    .rows = rows,
    .events = events,
    .parameters = keys,
};

} // namespace levee::rsa
