// SPDX-License-Identifier: Apache-2.0
// Importance of tokens: 16-bit saturating sums of attention scores.
#pragma once

#include "ip/kv_tables/operations.h"

#include <cstdint>

namespace levee::kv_tables {

inline constexpr std::uint32_t none = LEVEE_SE_NONE;

/// Converts a score to fixed point: unsigned Q2.14 (SOFTMAX), or the bits of signed Q8.8 (LOGIT).
/// Rounds to nearest, ties to even, and saturates; NaN becomes 0.
[[nodiscard]] std::uint16_t to_fixed(float score, levee_se_score format);

/// Returns the saturating sum of two values from to_fixed().
[[nodiscard]] inline std::uint16_t add_saturating(std::uint16_t a, std::uint16_t b,
                                                  levee_se_score format)
{
    const bool is_signed = format == LEVEE_SE_LOGIT;
    const std::int32_t sum = is_signed ? static_cast<std::int16_t>(a) + static_cast<std::int16_t>(b)
                                       : std::int32_t{a} + std::int32_t{b};
    const std::int32_t least = is_signed ? INT16_MIN : 0;
    const std::int32_t most = is_signed ? INT16_MAX : UINT16_MAX;
    return static_cast<std::uint16_t>(sum < least ? least : sum > most ? most : sum);
}

/// Maps an importance to an unsigned number with the same ordering.
[[nodiscard]] constexpr std::uint16_t ordered(std::uint16_t importance, levee_se_score format)
{
    return format == LEVEE_SE_LOGIT ? static_cast<std::uint16_t>(importance ^ 0x8000u) : importance;
}

} // namespace levee::kv_tables
