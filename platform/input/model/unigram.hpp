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
    /// A token of the segmentation, or several consecutive characters for which there is no token.
    struct Part {
        std::optional<std::uint32_t> id;
        std::size_t begin, end; ///< byte range in the text
    };

    /// `apart` states for each id whether segmentation must not use this token. A character without
    /// a token scores 10 less than the worst token.
    Unigram(std::span<const Token> tokens, const std::vector<bool>& apart);

    /// Returns the segmentation with the greatest total score. Among equals, it is the one with the
    /// longest last token, then with the longest token before the last, and so on. Each byte that
    /// can extend a token costs one step of `work`. Throws ModelError if too few steps are left.
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

    std::vector<Piece> pieces_; ///< pieces, sorted by text
    double unknown_score_ = 0;
};

} // namespace levee
