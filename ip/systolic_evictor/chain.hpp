// SPDX-License-Identifier: Apache-2.0
// The evictor's hardware, clock by clock: what its RTL is compared with.
#pragma once

#include "ip/systolic_evictor/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::systolic_evictor {

// The arithmetic and what moves down the chain M.
using kv_tables::add_saturating;
using kv_tables::none;
using kv_tables::ordered;
using kv_tables::to_fixed;

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
