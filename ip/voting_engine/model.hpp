// SPDX-License-Identifier: Apache-2.0
// Reference of the voting engine (VEDA, section III). It processes one layer of one batch entry at
// a time, and does not model addresses or time. docs/numerics.md states the order of the
// threshold's operations.
#pragma once

#include "ip/voting_engine/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::voting_engine {

inline constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Factors of the threshold T = mean * (mean of the vector) - deviation * (standard deviation of
/// the vector).
struct Factors {
    float mean = 0;
    float deviation = 0;
};
/// A factor is 0 or within these limits. No result of the engine is then subnormal or infinite.
inline constexpr float least_factor = LEVEE_VE_LEAST_FACTOR,
                       greatest_factor = LEVEE_VE_GREATEST_FACTOR;
[[nodiscard]] bool is_factor(float value);

/// Converts a probability to the FIFO's format: FP16, rounded to nearest, ties to even. NaN and
/// negative values become +0. Values above 65504, the largest finite number, become 65504.
[[nodiscard]] std::uint16_t to_element(float probability);
/// Applies the limits of to_element() to an FP16 number.
[[nodiscard]] std::uint16_t clamped(std::uint16_t probability);

/// Returns the threshold for a vector with `length` elements, at least one. `sum` is the sum of
/// their squares.
[[nodiscard]] float threshold_of(std::size_t length, float sum, const Factors& factors);
/// Returns the threshold for a vector whose elements are results of to_element(). The vector must
/// not be empty.
[[nodiscard]] float threshold(std::span<const std::uint16_t> elements, const Factors& factors);

/// Adds one vector's votes. `votes` has a 16-bit saturating counter for each element. `positions`
/// of the slots' tokens decide ties; empty: slot i has the token at position i.
void vote(std::span<std::uint16_t> votes, std::span<const std::uint16_t> elements,
          std::span<const std::uint32_t> positions, const Factors& factors);

/// Returns how many of the first `length` tokens the next token does not attend to. `reach` is the
/// number of latest tokens that attention covers; 0: all.
[[nodiscard]] std::uint32_t passed_of(std::uint32_t reach, std::uint32_t length);

/// Gives the tokens at positions below `passed` the largest number of votes, so that they are
/// evicted first. They also win every tie, because they are the earliest tokens. Returns the number
/// of first positions that the next election must protect: 0 if there are tokens below `passed`,
/// otherwise `protect`.
[[nodiscard]] std::uint32_t give_up_passed(std::span<std::uint16_t> votes,
                                           std::span<const std::uint32_t> positions,
                                           std::uint32_t passed, std::uint32_t protect);

/// Returns the slot of the token with the most votes among the tokens at positions from `protect`
/// on; ties go to the earliest token. Returns `none` if there is no such token.
[[nodiscard]] std::uint32_t elect(std::span<const std::uint16_t> votes,
                                  std::span<const std::uint32_t> positions, std::uint32_t protect);

/// Returns the positions, in order, of the prompt tokens that are kept. Among the tokens from
/// `protect` on, those with the most votes are evicted, the earliest first on ties. Eviction ends
/// when `capacity` tokens are left, or none may be evicted. If there are more than `capacity`
/// tokens, the first `passed` ones are evicted before all others. `votes` is indexed by position.
[[nodiscard]] std::vector<std::uint32_t> select(std::span<const std::uint16_t> votes,
                                                std::uint32_t capacity, std::uint32_t protect,
                                                std::uint32_t passed = 0);

} // namespace levee::voting_engine
