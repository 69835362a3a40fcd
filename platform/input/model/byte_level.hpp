// SPDX-License-Identifier: Apache-2.0 Byte-level BPE, as in the tokenizers of GPT-2, OPT, Qwen2 and
// Llama 3.
#pragma once

#include "platform/input/model/tokenizer.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Rules for normalising and splitting a text.
struct TextRules {
    std::vector<TextStep> normalizers{};
    std::vector<TextStep> splits{};
};

/// A vocabulary in the form in which files store it. Each byte of a token is one printable
/// character there (GPT-2's table of bytes). Printable Latin-1 characters represent themselves; the
/// other bytes are represented by characters from U+0100 on.
struct ByteLevelVocabulary {
    std::vector<std::string> keys; ///< keys by id; empty: unused
    /// Merges as texts "LEFT RIGHT" in the same characters. Earlier entries merge first.
    std::vector<std::string> merges;
    std::string merges_place{};      ///< place for messages: "<file>: key K"; empty: "<source>:
                                     ///< merges"
    std::vector<AddedToken> added{}; ///< added tokens, whose keys are plain text
    TextRules text;
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< token at the beginning of every text
    std::uint32_t eos = LEVEE_NO_TOKEN;
    std::uint32_t unknown = LEVEE_NO_TOKEN;
    bool whole_pieces = false; ///< a piece that is a token is not divided further (Llama 3's
                               ///< "ignore_merges")
};

/// Throws ModelError for invalid rules ("<source>: ...") and for an invalid merge
/// ("<merges_place>[0]: ..."). A merge is invalid if it is not a pair, or if it uses or makes an
/// unknown token.
Tokenizer byte_level_tokenizer(const ByteLevelVocabulary& vocabulary, const std::string& source);

/// Returns the published rules of "gpt2" (also for OPT), "qwen2", "llama3", "o200k" or "tekken";
/// nothing for any other name.
std::optional<TextRules> byte_level_text(std::string_view family);
/// GPT-2's regular expression.
std::string gpt2_pattern();

/// Returns the bytes that a key represents; nothing if one of its characters represents no byte.
std::optional<std::string> bytes_of_key(std::string_view key);
/// Returns the key that represents these bytes.
std::string key_of_bytes(std::string_view bytes);

} // namespace levee
