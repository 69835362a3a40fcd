// SPDX-License-Identifier: Apache-2.0
// Values that several file formats store in the same way.
#pragma once

#include "core/numerics/numerics.hpp"

#include <bit>
#include <cstdint>

namespace levee {

/// Unused rows at the beginning of OPT's table of positions (transformers,
/// OPTLearnedPositionalEmbedding).
inline constexpr std::uint32_t opt_padding_rows = 2;

enum class HalfType { FP16, BF16 };

/// Converts a little-endian value of two bytes to FP32, without rounding.
inline float half_value(const std::uint8_t* raw, HalfType type)
{
    const auto bits = static_cast<std::uint16_t>(raw[0] | raw[1] << 8);
    return type == HalfType::FP16 ? fp16_to_fp32(bits)
                                  : std::bit_cast<float>(std::uint32_t{bits} << 16);
}

} // namespace levee
