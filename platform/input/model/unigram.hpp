// SPDX-License-Identifier: Apache-2.0
// Unigram language models of pieces (Kudo, Subword Regularization, section 3).
#pragma once

#include "platform/input/model/text_steps.hpp"
#include "platform/input/model/token.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

class Unigram {
public:
    /// A token of the segmentation, or consecutive characters without a token.
    struct Part {
        std::optional<std::uint32_t> id;
        std::size_t begin, end; ///< bytes of the text
    };

    /// apart: by id, tokens that are excluded from segmentation. A character without a token scores
    /// 10 less than the worst token.
    Unigram(std::span<const Token> tokens, const std::vector<bool>& apart);

    /// Segmentation with the largest total score; among equals, the one with the longest last
    /// token, and so on backwards. Each byte that can extend a token costs a step of `work`; throws
    /// ModelError if too few are left.
    [[nodiscard]] std::vector<Part> best(std::string_view text, TextWork& work) const;

private:
    struct Piece {
        std::string text;
        std::uint32_t id;
        double score;
    };
    struct Node;
    void extend(std::string_view text, std::size_t begin, TextWork& work,
                std::vector<Node>& nodes) const;

    std::vector<Piece> pieces_; ///< Pieces sorted by text.
    double unknown_score_ = 0;
};

} // namespace levee
