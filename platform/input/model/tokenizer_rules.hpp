// SPDX-License-Identifier: Apache-2.0
// The part of a tokenizer of kind LEVEE_TOKENIZER_RULES that follows its tokens
// (core/abi/model_image.h).
#pragma once

#include "core/abi/model_image.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee {

struct TextStep {
    levee_text_step_kind kind = LEVEE_STEP_NFC;
    /// A regular expression (in PCRE2's syntax) for LEVEE_STEP_SPLIT and
    /// LEVEE_STEP_REPLACE_MATCHES, or a map's bytes for LEVEE_STEP_MAP_LONGEST and
    /// LEVEE_STEP_MAP_GRAPHEMES.
    std::string text{};
    std::string with{}; ///< replacement for LEVEE_STEP_REPLACE and LEVEE_STEP_REPLACE_MATCHES
};

struct AddedToken {
    std::uint32_t id = 0;
    std::string text; ///< text to search for; not empty
    std::uint32_t flags = LEVEE_ADDED_SPECIAL;
};

/// A part of a text. All parts of a text are encoded together. In a plain part, special tokens are
/// ordinary text.
struct TextPart {
    std::string text;
    bool plain = false;
};

struct TokenizerRules {
    std::uint32_t flags = 0; ///< enum levee_tokenizer_flag
    std::uint32_t unknown = LEVEE_NO_TOKEN;
    std::vector<levee_token_merge> merges{}; ///< merges by rank; if a pair occurs twice, the later
                                             ///< entry is valid
    /// Empty, or 256 entries: the token of each byte, or LEVEE_NO_TOKEN. BYTE_LEVEL requires them.
    std::vector<std::uint32_t> byte_tokens{};
    std::vector<AddedToken> added{};
    std::vector<TextStep> normalizers{};
    std::vector<TextStep> splits{}; ///< steps that split the text into pieces
};

/// Throws ModelError ("<source>: tokenizer.<field>: ...") for ids beyond `vocab`, flags that are
/// unknown or exclude one another, too many merges, empty texts, and a table of bytes of a wrong
/// size.
void check_rules(const TokenizerRules& rules, std::uint32_t vocab, const std::string& source);

/// Returns the rules' bytes in an image, where they follow the tokens.
std::vector<std::uint8_t> serialize_rules(const TokenizerRules& rules);
/// Reads and checks these bytes. Throws ModelError as check_rules() does, for unknown steps, and if
/// bytes are missing or left over.
TokenizerRules parse_rules(std::span<const std::uint8_t> bytes, std::uint32_t vocab,
                           const std::string& source);

} // namespace levee
