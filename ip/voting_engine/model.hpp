// SPDX-License-Identifier: Apache-2.0
// Reference of the voting engine (VEDA, section III): one layer of one batch entry at a time,
// without addresses and time. docs/numerics.md states the order of the threshold's operations.
#pragma once

#include "ip/voting_engine/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::voting_engine {

inline constexpr std::uint32_t none = 0xFFFFFFFFu;

/// Factors of the threshold T = mean * (mean of the vector) - deviation * (its standard deviation).
struct Factors {
    float mean = 0;
    float deviation = 0;
};
/// A factor is 0 or within these limits: nothing the engine computes is then subnormal or infinite.
inline constexpr float least_factor = LEVEE_VE_LEAST_FACTOR,
                       greatest_factor = LEVEE_VE_GREATEST_FACTOR;
[[nodiscard]] bool is_factor(float value);

/// A probability in the FIFO's format: FP16, to nearest, ties to even. NaN and negative values
/// count as +0, values above 65504, the largest finite number, as 65504.
[[nodiscard]] std::uint16_t to_element(float probability);
/// The same of an FP16 number.
[[nodiscard]] std::uint16_t clamped(std::uint16_t probability);

/// Threshold of a vector of `length` elements, at least one, with that sum of their squares.
[[nodiscard]] float threshold_of(std::size_t length, float sum, const Factors& factors);
/// Threshold of a vector of at least one element (of to_element).
[[nodiscard]] float threshold(std::span<const std::uint16_t> elements, const Factors& factors);

/// Adds one vector's votes. `votes`: 16-bit saturating counters, one a slot, as many as elements.
/// `positions`: of the slots' tokens, which tell the earlier one; empty: slot i is the token at i.
void vote(std::span<std::uint16_t> votes, std::span<const std::uint16_t> elements,
          std::span<const std::uint32_t> positions, const Factors& factors);

/// Number of the first `length` tokens that the next one does not attend to. `reach`: tokens that
/// attention goes to; 0: all.
[[nodiscard]] std::uint32_t passed_of(std::uint32_t reach, std::uint32_t length);

/// Gives tokens at positions below `passed` the most votes that there are. They are the earliest,
/// so they win every tie. Returns the protection with which the next election takes one of them:
/// none if there is one, otherwise `protect`.
[[nodiscard]] std::uint32_t give_up_passed(std::span<std::uint16_t> votes,
                                           std::span<const std::uint32_t> positions,
                                           std::uint32_t passed, std::uint32_t protect);

/// Slot of the token with most votes, the earliest of several, among those at positions from
/// `protect` on; `none` if there is none.
[[nodiscard]] std::uint32_t elect(std::span<const std::uint16_t> votes,
                                  std::span<const std::uint32_t> positions, std::uint32_t protect);

/// Positions, in order, of the tokens of a prompt that stay: of those from `protect` on, those with
/// most votes leave, the earliest of several first, until `capacity` are left or no more may leave.
/// The first `passed` tokens leave before them if there are more than `capacity`. `votes`: by
/// position.
[[nodiscard]] std::vector<std::uint32_t> select(std::span<const std::uint16_t> votes,
                                                std::uint32_t capacity, std::uint32_t protect,
                                                std::uint32_t passed = 0);

} // namespace levee::voting_engine
