// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/added_tokens.hpp"

#include "platform/input/model/model_shape.hpp"

namespace levee {

void AddedTokens::add(const AddedToken& token)
{
    std::uint32_t node = root;
    for (const char byte : token.text) {
        const auto [found, is_new] =
            to_.try_emplace(edge(node, byte), static_cast<std::uint32_t>(token_at_.size()));
        if (is_new)
            token_at_.push_back(none);
        node = found->second;
    }
    if (token_at_[node] != none)
        return;
    token_at_[node] = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back(token);
}

std::uint32_t AddedTokens::next(std::uint32_t node, char byte) const
{
    const auto found = to_.find(edge(node, byte));
    return found == to_.end() ? none : found->second;
}

std::optional<AddedToken>
AddedTokens::longest(std::string_view text, TextWork& work,
                     const std::function<bool(const AddedToken&)>& counts) const
{
    std::optional<AddedToken> best;
    std::uint32_t node = root;
    std::size_t bytes = 0;
    while (bytes < text.size() && (node = next(node, text[bytes])) != none) {
        ++bytes;
        if (token_at_[node] != none && counts(tokens_[token_at_[node]]))
            best = tokens_[token_at_[node]];
    }
    if (!work.take_steps(bytes + 1))
        throw ModelError(source_ + ": tokenizer.added: the search for tokens would take too many "
                                   "steps; expected fewer tokens with the same beginning");
    return best;
}

std::optional<AddedToken> AddedTokens::find(std::string_view text) const
{
    std::uint32_t node = root;
    for (const char byte : text)
        if ((node = next(node, byte)) == none)
            return std::nullopt;
    return token_at_[node] == none ? std::nullopt : std::optional(tokens_[token_at_[node]]);
}

} // namespace levee
