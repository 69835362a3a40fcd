// SPDX-License-Identifier: Apache-2.0
#include "ip/systolic_evictor/chain.hpp"

#include <stdexcept>
#include <string>

namespace levee::systolic_evictor {

Chain::Chain(levee_se_score format, std::size_t rows) : format_(format), rows_(rows) {}

void Chain::preload(std::span<const std::uint16_t> importance,
                    std::span<const std::uint8_t> is_protected, std::uint32_t first, Pair carried)
{
    if (importance.size() > rows_ || is_protected.size() != importance.size())
        throw std::invalid_argument(
            "levee::systolic_evictor::Chain::preload: " + std::to_string(importance.size()) +
            " tokens and " + std::to_string(is_protected.size()) + " protections for " +
            std::to_string(rows_) + " rows");
    importance_.assign(importance.begin(), importance.end());
    is_protected_.assign(is_protected.begin(), is_protected.end());
    first_ = first;
    next_row_ = 0;
    pair_ = carried;
}

void Chain::step(std::uint16_t score)
{
    if (next_row_ >= importance_.size())
        throw std::logic_error(
            "levee::systolic_evictor::Chain::step: every row already has a score");
    std::uint16_t& own = importance_[next_row_];
    own = add_saturating(own, score, format_);
    // Strictly less: of equally important tokens, the pair keeps the first in the chain, which has
    // the lowest slot.
    if (is_protected_[next_row_] == 0 &&
        (pair_.index == none || ordered(own, format_) < ordered(pair_.least, format_)))
        pair_ = {own, first_ + static_cast<std::uint32_t>(next_row_)};
    ++next_row_;
}

void Chain::wave(std::span<const std::uint16_t> scores)
{
    if (scores.size() != importance_.size())
        throw std::invalid_argument(
            "levee::systolic_evictor::Chain::wave: " + std::to_string(scores.size()) +
            " scores for " + std::to_string(importance_.size()) + " tokens");
    for (std::size_t row = 0; row < scores.size(); ++row)
        importance_[row] = add_saturating(importance_[row], scores[row], format_);
}

} // namespace levee::systolic_evictor
