// SPDX-License-Identifier: Apache-2.0
// The evictor's hardware, clock by clock: what its RTL is compared with.
#pragma once

#include "ip/systolic_evictor/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

inline constexpr std::uint32_t none = LEVEE_SE_NONE;

/// A score as the evictor adds it, to nearest, ties to even: unsigned Q2.14 (SOFTMAX) or the bits
/// of signed Q8.8 (LOGIT). Saturates; NaN counts 0.
[[nodiscard]] std::uint16_t to_fixed(float score, levee_se_score format);

/// The saturating sum of two such.
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

/// The bits of an importance as an unsigned number of the same order.
[[nodiscard]] constexpr std::uint16_t ordered(std::uint16_t importance, levee_se_score format)
{
    return format == LEVEE_SE_LOGIT ? static_cast<std::uint16_t>(importance ^ 0x8000u) : importance;
}

/// What moves down the chain M: the least importance so far and whose it is.
struct Pair {
    std::uint16_t least = 0;    ///< of no meaning while there is no index
    std::uint32_t index = none; ///< slot; none: nobody who may leave has been seen

    friend bool operator==(const Pair&, const Pair&) = default;
};

/// One tile: registers S, preloaded, and the chain M. A score enters in a cycle, its row's S and M
/// hold the result in the next: the index is valid one cycle after the last score.
class Chain {
public:
    explicit Chain(levee_se_score format, std::size_t rows);

    /// Fills S with at most `rows` tokens' importance. `is_protected`: as many; not 0: that row
    /// passes the pair through. `first`: the slot of row 0. `carried`: the pair of the tile before.
    /// Throws std::invalid_argument for wrong sizes.
    void preload(std::span<const std::uint16_t> importance,
                 std::span<const std::uint8_t> is_protected, std::uint32_t first, Pair carried);

    /// One clock edge with the next row's score (to_fixed) at the port. Throws std::logic_error
    /// when every preloaded row has had its score.
    void step(std::uint16_t score);

    /// M of the row that took the last score; before the first, the pair carried in.
    [[nodiscard]] Pair result() const { return pair_; }
    [[nodiscard]] std::span<const std::uint16_t> importance() const { return importance_; }
    /// Rows that have had their score.
    [[nodiscard]] std::size_t steps() const { return next_row_; }

private:
    levee_se_score format_;
    std::size_t rows_;
    std::vector<std::uint16_t> importance_; // S
    std::vector<std::uint8_t> is_protected_;
    std::uint32_t first_ = 0;
    std::size_t next_row_ = 0;
    Pair pair_; // M of row next_row_ - 1
};

} // namespace levee::systolic_evictor
