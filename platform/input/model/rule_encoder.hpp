// SPDX-License-Identifier: Apache-2.0
// Text to tokens by rules (LEVEE_TOKENIZER_RULES).
#pragma once

#include "platform/input/model/text_steps.hpp"
#include "platform/input/model/token.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace levee {

/// In this order: added tokens are taken out of the text (the longest of those that begin
/// leftmost), what is between them is normalized, added tokens of normalized text are taken out,
/// the rest is split, and each piece is merged from its bytes or characters: the pair of the lowest
/// rank first, of equal ones the leftmost.
class RuleEncoder {
public:
    /// Throws ModelError for rules that check_rules() refuses, for steps that cannot be done, and
    /// for an added token that normalizing leaves nothing of.
    RuleEncoder(std::span<const Token> tokens, const TokenizerRules& rules,
                const std::string& source);

    /// tokens: as given to the constructor. Throws ModelError naming the character or byte that has
    /// no token.
    std::vector<std::uint32_t> encode(std::string_view text, std::span<const Token> tokens) const;

    const TokenizerRules& rules() const { return rules_; }

private:
    struct Ranked {
        std::uint32_t rank, result;
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };
    /// Added tokens by the bytes of their texts, the longest first, and by their texts: there may
    /// be many, and they are looked for at every byte of a text.
    using AddedTokens =
        std::map<std::size_t,
                 std::unordered_map<std::string, AddedToken, TextHash, std::equal_to<>>,
                 std::greater<>>;
    struct Part {
        std::string text;
        std::optional<AddedToken> token{};
        bool begins = false;
    };

    void add_tokens(std::span<const Token> tokens);
    std::vector<Part> take_added(const Part& whole, bool normalized) const;
    std::optional<AddedToken> added_at(std::string_view text, bool normalized) const;
    void append_piece(std::string piece, std::span<const Token> tokens,
                      std::vector<std::uint32_t>& ids) const;
    std::vector<std::uint32_t> units(const std::string& piece) const;
    void append_character(const std::string& character, std::size_t at,
                          std::vector<std::uint32_t>& ids) const;
    void append_unknown(const std::string& what, std::size_t at,
                        std::vector<std::uint32_t>& ids) const;
    bool has(levee_tokenizer_flag flag) const { return (rules_.flags & flag) != 0; }

    TokenizerRules rules_;
    TextSteps steps_;
    AddedTokens raw_, normalized_;
    std::unordered_map<std::uint64_t, Ranked> merges_;   // by left and right
    std::unordered_map<std::string, std::uint32_t> ids_; // looked up, never walked
};

} // namespace levee
