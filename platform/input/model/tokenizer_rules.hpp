// SPDX-License-Identifier: Apache-2.0
// The part of LEVEE_TOKENIZER_RULES after its tokens (core/abi/model_image.h).
#pragma once

#include "core/abi/model_image.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace levee {

struct TextStep {
    levee_text_step_kind kind = LEVEE_STEP_NFC;
    /// A regular expression (PCRE2's syntax) for LEVEE_STEP_SPLIT and LEVEE_STEP_REPLACE_MATCHES; a
    /// map's bytes for LEVEE_STEP_MAP_LONGEST and LEVEE_STEP_MAP_GRAPHEMES.
    std::string text{};
    std::string with{}; ///< Replacement for LEVEE_STEP_REPLACE and LEVEE_STEP_REPLACE_MATCHES.
};

struct AddedToken {
    std::uint32_t id = 0;
    std::string text; ///< Text for which it is searched; not empty.
    std::uint32_t flags = LEVEE_ADDED_SPECIAL;
};

/// A part of a text that is encoded together. In a plain part special tokens are ordinary text.
struct TextPart {
    std::string text;
    bool plain = false;
};

struct TokenizerRules {
    std::uint32_t flags = 0; ///< enum levee_tokenizer_flag
    std::uint32_t unknown = LEVEE_NO_TOKEN;
    std::vector<levee_token_merge> merges{}; ///< Merges by rank; if a pair occurs twice, the later
                                             ///< entry counts.
    /// Empty, or 256: the token of each byte, LEVEE_NO_TOKEN for none. BYTE_LEVEL must have them.
    std::vector<std::uint32_t> byte_tokens{};
    std::vector<AddedToken> added{};
    std::vector<TextStep> normalizers{};
    std::vector<TextStep> splits{}; ///< Steps that split pieces.
};

/// Throws ModelError ("<source>: tokenizer.<field>: ...") for ids beyond `vocab`, unknown flags or
/// steps, and a table of bytes of another size.
void check_rules(const TokenizerRules& rules, std::uint32_t vocab, const std::string& source);

/// Bytes of the rules as stored after the tokens of an image.
std::vector<std::uint8_t> serialize_rules(const TokenizerRules& rules);
/// Reads these bytes back and checks them. Throws ModelError if bytes are missing or left over.
TokenizerRules parse_rules(std::span<const std::uint8_t> bytes, std::uint32_t vocab,
                           const std::string& source);

} // namespace levee
