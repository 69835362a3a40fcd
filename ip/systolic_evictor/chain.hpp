// SPDX-License-Identifier: Apache-2.0
// The evictor's hardware, clock by clock: the reference of its RTL.
#pragma once

#include "ip/systolic_evictor/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

// The pair that moves down the chain M, and its arithmetic.
using kv_tables::add_saturating;
using kv_tables::none;
using kv_tables::ordered;
using kv_tables::to_fixed;

/// One tile: registers S, preloaded, and the chain M. A score that enters in one cycle is in its
/// row's S and M in the next: the index is valid one cycle after the last score.
class Chain {
public:
    explicit Chain(levee_se_score format, std::size_t rows);

    /// Fills S with the importance of at most `rows` tokens. `is_protected`: of the same length; a
    /// nonzero row passes the pair through. `first`: the slot of row 0. `carried`: the pair from
    /// the tile before. Throws std::invalid_argument for wrong sizes.
    void preload(std::span<const std::uint16_t> importance,
                 std::span<const std::uint8_t> is_protected, std::uint32_t first, Pair carried);

    /// One clock edge with the next row's score (to_fixed) at the port. Throws std::logic_error if
    /// every preloaded row already has its score.
    void step(std::uint16_t score);

    /// A query of a stream: the score of each preloaded row, which takes it a cycle after the row
    /// above. M does not move. Throws std::invalid_argument for another number of scores.
    void wave(std::span<const std::uint16_t> scores);

    /// The pair M in the row that the last score has reached; before any score, the carried pair.
    [[nodiscard]] Pair result() const { return pair_; }
    [[nodiscard]] std::span<const std::uint16_t> importance() const { return importance_; }
    /// Number of rows that have received their score.
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
