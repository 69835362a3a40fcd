// SPDX-License-Identifier: Apache-2.0
// Converts text to tokens by rules (LEVEE_TOKENIZER_RULES).
#pragma once

#include "platform/input/model/added_tokens.hpp"
#include "platform/input/model/text_steps.hpp"
#include "platform/input/model/token.hpp"
#include "platform/input/model/tokenizer_rules.hpp"
#include "platform/input/model/unigram.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace levee {

/// Encodes a text in these steps. First, the text is searched for added tokens: the leftmost
/// first, and among these the longest. The text between them is normalised, searched for added
/// tokens that apply to normalised text, and split into pieces. The bytes or characters of each
/// piece are merged: the pair with the lowest rank first or, with LEVEE_TOKENIZER_BY_SCORE, with
/// the best score; among equals, the leftmost. With LEVEE_TOKENIZER_UNIGRAM, pieces are segmented
/// instead.
class RuleEncoder {
public:
    /// Throws ModelError for rules that check_rules() refuses, for unusable steps, and for an added
    /// token that is empty after normalization.
    RuleEncoder(std::span<const Token> tokens, const TokenizerRules& rules,
                const std::string& source);

    /// `tokens` must be the same tokens as in the constructor. Throws ModelError with the character
    /// or byte that has no token.
    std::vector<std::uint32_t> encode(std::string_view text, std::span<const Token> tokens) const;
    /// Encodes consecutive parts, which are split and merged as if they were one text. In parts
    /// that are not plain, special tokens and `markers` are recognised before normalization.
    std::vector<std::uint32_t> encode(std::span<const TextPart> parts,
                                      std::span<const std::uint32_t> markers,
                                      std::span<const Token> tokens) const;

    /// Returns the added token with this text, if there is one.
    std::optional<std::uint32_t> added(std::string_view text) const;

    const TokenizerRules& rules() const { return rules_; }

private:
    struct Ranked {
        std::uint32_t rank, result;
    };
    struct Part {
        std::string text;
        std::optional<AddedToken> token{};
        bool begins = false;
    };
    /// Finds an added token that begins at a byte of a text, if there is one.
    using Finder = std::function<std::optional<AddedToken>(std::string_view text, std::size_t at,
                                                           TextWork& work)>;

    void add_tokens(std::span<const Token> tokens);
    static std::vector<Part> take_added(const Part& whole, const Finder& find, TextWork& work);
    std::vector<std::uint32_t> encode(const std::string& text, const Finder& raw,
                                      const Finder& normalized,
                                      std::span<const Token> tokens) const;
    void append_piece(std::string piece, std::span<const Token> tokens, TextWork& work,
                      std::vector<std::uint32_t>& ids) const;
    std::vector<std::uint32_t> units(const std::string& piece) const;
    std::vector<std::uint32_t> segments(const std::string& piece, TextWork& work) const;
    void append_character(const std::string& character, std::size_t at,
                          std::vector<std::uint32_t>& ids) const;
    void append_unknown(const std::string& what, std::size_t at,
                        std::vector<std::uint32_t>& ids) const;
    bool has(levee_tokenizer_flag flag) const { return (rules_.flags & flag) != 0; }

    TokenizerRules rules_;
    TextSteps steps_;
    std::optional<Unigram> unigram_;
    AddedTokens raw_, normalized_;
    AddedTokens written_;                                ///< all added tokens, before normalization
    std::unordered_map<std::uint64_t, Ranked> merges_;   // merges, by left and right token
    std::unordered_map<std::string, std::uint32_t> ids_; // only for lookups, never iterated over
};

} // namespace levee
