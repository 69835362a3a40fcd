// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/unigram.hpp"

#include "platform/input/model/model_shape.hpp"

#include <algorithm>
#include <string>

namespace levee {

namespace {

constexpr double unknown_penalty = 10.0; // as in SentencePiece and transformers

} // namespace

Unigram::Unigram(std::span<const Token> tokens, const std::vector<bool>& apart)
{
    double least = 0;
    for (std::uint32_t id = 0; id < tokens.size(); ++id) {
        const double score = tokens[id].score;
        least = id == 0 ? score : std::min(least, score);
        if (!apart[id] && !tokens[id].text.empty())
            pieces_.push_back({tokens[id].text, id, score});
    }
    std::ranges::stable_sort(pieces_, {}, &Piece::text);
    unknown_score_ = least - unknown_penalty;
}

/// The best segmentation up to a byte of a text.
struct Unigram::Node {
    double score = 0;
    std::size_t begin = npos; ///< begin of the last token; npos: no token ends here
    std::optional<std::uint32_t> id{};

    static constexpr std::size_t npos = SIZE_MAX;
    void offer(double its_score, std::size_t its_begin, std::optional<std::uint32_t> its_id)
    {
        if (begin == npos || its_score > score)
            *this = {its_score, its_begin, its_id};
    }
};

/// For every token that begins at byte `begin`, updates the node at which the token ends.
void Unigram::extend(std::string_view text, std::size_t begin, TextWork& work,
                     std::vector<Node>& nodes) const
{
    const double before = nodes[begin].score;
    const std::size_t character = std::max<std::size_t>(character_at(text.substr(begin)), 1);
    bool has_character = false;
    auto rest = std::span(pieces_); // pieces that begin like the text
    for (std::size_t end = begin; end < text.size() && !rest.empty();) {
        const std::size_t depth = end - begin;
        const auto byte = [depth](const Piece& piece) {
            return piece.text.size() > depth ? static_cast<unsigned char>(piece.text[depth]) : -1;
        };
        const int next = static_cast<unsigned char>(text[end]);
        const auto first = std::ranges::lower_bound(rest, next, {}, byte);
        const auto last = std::ranges::upper_bound(first, rest.end(), next, {}, byte);
        rest = std::span(first, last);
        ++end;
        if (!work.take_steps(1))
            throw ModelError("too many places of the text may begin a token, byte " +
                             std::to_string(begin) +
                             " of a piece among them; expected a text with fewer of these places");
        if (rest.empty() || rest.front().text.size() != depth + 1)
            continue;
        has_character |= depth + 1 == character;
        nodes[end].offer(before + rest.front().score, begin, rest.front().id);
    }
    if (!has_character)
        nodes[begin + character].offer(before + unknown_score_, begin, std::nullopt);
}

std::vector<Unigram::Part> Unigram::best(std::string_view text, TextWork& work) const
{
    std::vector<Node> nodes(text.size() + 1);
    nodes[0].begin = 0;
    for (std::size_t at = 0; at < text.size();
         at += std::max<std::size_t>(character_at(text.substr(at)), 1))
        extend(text, at, work, nodes);
    std::vector<Part> parts;
    for (std::size_t end = text.size(); end > 0; end = nodes[end].begin) {
        const Node& node = nodes[end];
        if (!node.id && !parts.empty() && !parts.back().id)
            parts.back().begin = node.begin;
        else
            parts.push_back({node.id, node.begin, end});
    }
    std::ranges::reverse(parts);
    return parts;
}

} // namespace levee
