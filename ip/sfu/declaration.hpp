// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/declaration.hpp"
#include "ip/sfu/keys.hpp"
#include "ip/sfu/regs.h"

namespace levee::sfu {

inline constexpr Field operation_fields[] = {
    LEVEE_FIELD(levee_sfu_operation, x),
    LEVEE_FIELD(levee_sfu_operation, y),
    LEVEE_FIELD(levee_sfu_operation, out),
    LEVEE_FIELD(levee_sfu_operation, out_scale),
    LEVEE_FIELD(levee_sfu_operation, gain),
    LEVEE_FIELD(levee_sfu_operation, bias),
    LEVEE_FIELD(levee_sfu_operation, lengths),
    LEVEE_FIELD(levee_sfu_operation, indices),
    LEVEE_FIELD(levee_sfu_operation, positions),
    LEVEE_FIELD(levee_sfu_operation, x_stride),
    LEVEE_FIELD(levee_sfu_operation, y_stride),
    LEVEE_FIELD(levee_sfu_operation, out_stride),
    LEVEE_FIELD(levee_sfu_operation, out_scale_stride),
    LEVEE_FIELD(levee_sfu_operation, indices_stride),
    LEVEE_FIELD(levee_sfu_operation, lengths_stride),
    LEVEE_FIELD(levee_sfu_operation, positions_stride),
    LEVEE_FIELD(levee_sfu_operation, outer),
    LEVEE_FIELD(levee_sfu_operation, rows),
    LEVEE_TYPE_FIELD(levee_sfu_operation, y_type),
    LEVEE_FIELD(levee_sfu_operation, block_log2),
    LEVEE_FIELD(levee_sfu_operation, n),
    LEVEE_FIELD(levee_sfu_operation, length_add),
    LEVEE_FIELD(levee_sfu_operation, param),
    LEVEE_FIELD(levee_sfu_operation, seed),
    LEVEE_TYPE_FIELD(levee_sfu_operation, x_type),
    LEVEE_TYPE_FIELD(levee_sfu_operation, out_type),
    LEVEE_FIELD(levee_sfu_operation, flags),
    LEVEE_FIELD(levee_sfu_operation, group),
    LEVEE_PORT_FIELD(levee_sfu_operation, tap),
    LEVEE_FIELD(levee_sfu_operation, cap),
};

inline constexpr Opcode opcodes[] = {
    {LEVEE_SFU_RMS_NORM, "RMS_NORM"},
    {LEVEE_SFU_LAYER_NORM, "LAYER_NORM"},
    {LEVEE_SFU_ROPE, "ROPE"},
    {LEVEE_SFU_SOFTMAX, "SOFTMAX"},
    {LEVEE_SFU_SILU_MUL, "SILU_MUL"},
    {LEVEE_SFU_GELU, "GELU"},
    {LEVEE_SFU_RELU, "RELU"},
    {LEVEE_SFU_ADD, "ADD"},
    {LEVEE_SFU_QUANTISE, "QUANTISE"},
    {LEVEE_SFU_EMBED, "EMBED"},
    {LEVEE_SFU_ARGMAX, "ARGMAX"},
    {LEVEE_SFU_SAMPLE, "SAMPLE"},
    {LEVEE_SFU_LOG_PROB, "LOG_PROB"},
    {LEVEE_SFU_SOFTMAX_PART, "SOFTMAX_PART"},
    {LEVEE_SFU_SOFTMAX_KNOWN, "SOFTMAX_KNOWN"},
    {LEVEE_SFU_GELU_MUL, "GELU_MUL"},
    {LEVEE_SFU_GELU_TANH, "GELU_TANH"},
    {LEVEE_SFU_GELU_TANH_MUL, "GELU_TANH_MUL"},
    {LEVEE_SFU_RELU_SQUARED, "RELU_SQUARED"},
    {LEVEE_SFU_RELU_MUL, "RELU_MUL"},
    {LEVEE_SFU_ROUTE, "ROUTE"},
    {LEVEE_SFU_COMBINE, "COMBINE"},
    {LEVEE_SFU_CLAMPED_MUL, "CLAMPED_MUL"},
};

/// Arithmetic operations of the lanes (table in ip/sfu/README.md).
inline constexpr EnergyEvent multiply_add_event{"multiply_add"};
inline constexpr EnergyEvent divide_event{"divide"};
inline constexpr EnergyEvent exp_event{"exp"};
inline constexpr EnergyEvent sqrt_event{"sqrt"};
inline constexpr EnergyEvent log_event{"log"};
inline constexpr EnergyEvent sine_cosine_event{"sine_cosine"};
inline constexpr EnergyEvent convert_event{"convert"}; ///< Conversion to or from a code.
inline constexpr EnergyEvent events[] = {multiply_add_event, divide_event, exp_event,
                                         sqrt_event,         log_event,    sine_cosine_event,
                                         convert_event};

/// Operands that may not overlap the result. x and y may be overwritten in place, vector by vector.
/// Gain and bias must not be overwritten, because several vectors use them.
inline constexpr Apart apart[] = {
    LEVEE_APART(levee_sfu_operation, out, x, true), LEVEE_APART(levee_sfu_operation, out, y, true),
    LEVEE_APART(levee_sfu_operation, out, gain),    LEVEE_APART(levee_sfu_operation, out, bias),
    LEVEE_APART(levee_sfu_operation, out_scale, x),
};

/// The type of `y` depends on the operation.
inline constexpr TensorType types[] = {
    {offsetof(levee_sfu_operation, x), offsetof(levee_sfu_operation, x_type), LEVEE_TYPE_FP32},
    {offsetof(levee_sfu_operation, out), offsetof(levee_sfu_operation, out_type)},
    {offsetof(levee_sfu_operation, out_scale), TensorType::none, LEVEE_TYPE_FP32},
};

inline constexpr TensorRows rows[] = {
    {offsetof(levee_sfu_operation, x),
     offsetof(levee_sfu_operation, x_stride) + 2 * sizeof(std::int32_t),
     {offsetof(levee_sfu_operation, rows), offsetof(levee_sfu_operation, rows)}},
    {offsetof(levee_sfu_operation, out),
     offsetof(levee_sfu_operation, out_stride) + 2 * sizeof(std::int32_t),
     {offsetof(levee_sfu_operation, rows), offsetof(levee_sfu_operation, rows)}},
};

inline constexpr Declaration declaration{
    .type = "sfu",
    .number = LEVEE_BLOCK_SFU,
    .interrupts = true,
    .operation_bytes = sizeof(levee_sfu_operation),
    .opcodes = opcodes,
    .fields = operation_fields,
    .apart = apart,
    .types = types,
    .rows = rows,
    .events = events,
    .parameters = keys,
};

} // namespace levee::sfu
