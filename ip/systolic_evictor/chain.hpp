// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/systolic_evictor/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

// The pair (least importance, its slot), which moves along the chain M, and the arithmetic on
// importance.
using kv_tables::add_saturating;
using kv_tables::none;
using kv_tables::ordered;
using kv_tables::to_fixed;

/// One tile: preloaded importance registers S, and the chain M of pairs. A score that enters in one
/// cycle is included in its row's S and M in the next cycle. The resulting slot is valid one cycle
/// after the last score.
class Chain {
public:
    explicit Chain(levee_se_score format, std::size_t rows);

    /// Fills S with the importance of at most `rows` tokens. `is_protected` has the same length; a
    /// row with a nonzero value passes the pair on unchanged. `first` is the slot of row 0;
    /// `carried` is the previous tile's pair. Throws std::invalid_argument for wrong sizes.
    void preload(std::span<const std::uint16_t> importance,
                 std::span<const std::uint8_t> is_protected, std::uint32_t first, Pair carried);

    /// Applies one clock edge, with the next row's score (from to_fixed()) at the port. Throws
    /// std::logic_error if every preloaded row already has its score.
    void step(std::uint16_t score);

    /// Adds the scores of one query of a stream, one for each preloaded row. Each row receives its
    /// score one cycle after the row above. The pairs in M do not change. Throws
    /// std::invalid_argument for a wrong number of scores.
    void wave(std::span<const std::uint16_t> scores);

    /// Returns the pair M of the last row that has received its score; before the first score, the
    /// carried pair.
    [[nodiscard]] Pair result() const { return pair_; }
    [[nodiscard]] std::span<const std::uint16_t> importance() const { return importance_; }
    /// Number of rows that have received their score.
    [[nodiscard]] std::size_t steps() const { return next_row_; }

private:
    levee_se_score format_;
    std::size_t rows_;
    std::vector<std::uint16_t> importance_; // The registers S.
    std::vector<std::uint8_t> is_protected_;
    std::uint32_t first_ = 0;
    std::size_t next_row_ = 0;
    Pair pair_; // M of row next_row_ - 1.
};

} // namespace levee::systolic_evictor
