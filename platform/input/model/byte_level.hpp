// SPDX-License-Identifier: Apache-2.0
// Byte-level BPE: the tokenizers of GPT-2, OPT, Qwen2 and Llama 3.
#pragma once

#include "platform/input/model/tokenizer.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Rules that normalize and split a text.
struct TextRules {
    std::vector<TextStep> normalizers{};
    std::vector<TextStep> splits{};
};

/// A vocabulary in the form of files: each byte of a token is one printable character. By GPT-2's
/// table of bytes, printable Latin-1 characters represent themselves, and others follow from
/// U+0100.
struct ByteLevelVocabulary {
    std::vector<std::string> keys; ///< Keys by id; an empty one is unused.
    /// "LEFT RIGHT" in the same characters; earlier entries merge first.
    std::vector<std::string> merges;
    std::string merges_place{};      ///< Place for messages: "<file>: key K"; empty: "<source>:
                                     ///< merges".
    std::vector<AddedToken> added{}; ///< Added tokens, whose keys are plain text.
    TextRules text;
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< Token at the beginning of every text.
    std::uint32_t eos = LEVEE_NO_TOKEN;
    std::uint32_t unknown = LEVEE_NO_TOKEN;
    bool whole_pieces = false; ///< a piece that is a token stays one (Llama 3's "ignore_merges")
};

/// Throws ModelError for a merge that is not a pair, or that uses or makes an unknown token
/// ("<merges_place>[0]: ..."), and for invalid rules ("<source>: ...").
Tokenizer byte_level_tokenizer(const ByteLevelVocabulary& vocabulary, const std::string& source);

/// The published rules of "gpt2" (also OPT's), "qwen2" or "llama3"; none for another name.
std::optional<TextRules> byte_level_text(std::string_view family);
/// GPT-2's regular expression.
std::string gpt2_pattern();

/// Bytes that a key stands for; nothing if one of its characters does not stand for a byte.
std::optional<std::string> bytes_of_key(std::string_view key);
/// The key that represents these bytes.
std::string key_of_bytes(std::string_view bytes);

} // namespace levee
