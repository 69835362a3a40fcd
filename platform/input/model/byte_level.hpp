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

/// What a text is normalized with and split by.
struct TextRules {
    std::vector<TextStep> normalizers{};
    std::vector<TextStep> splits{};
};

/// A vocabulary as files hold it: each byte of a token as one printable character (GPT-2's table of
/// bytes: printable ones of Latin-1 are themselves, the others follow from U+0100).
struct ByteLevelVocabulary {
    std::vector<std::string> keys; ///< by id; an empty one is unused
    /// "LEFT RIGHT" in the same characters, the one that merges first before the others.
    std::vector<std::string> merges;
    std::string merges_place{};      ///< for messages: "<file>: key K"; empty: "<source>: merges"
    std::vector<AddedToken> added{}; ///< their keys are their plain texts
    TextRules text;
    std::uint32_t bos = LEVEE_NO_TOKEN; ///< what every text begins with
    std::uint32_t eos = LEVEE_NO_TOKEN;
    std::uint32_t unknown = LEVEE_NO_TOKEN;
    bool whole_pieces = false; ///< a piece that is a token stays one (Llama 3's "ignore_merges")
};

/// Throws ModelError for a merge that is no pair, or one of or into what is no token
/// ("<merges_place>[0]: ..."), and for whatever the rules are refused for ("<source>: ...").
Tokenizer byte_level_tokenizer(const ByteLevelVocabulary& vocabulary, const std::string& source);

/// The published rules of "gpt2" (also OPT's), "qwen2" or "llama3"; none for another name.
std::optional<TextRules> byte_level_text(std::string_view family);
/// GPT-2's regular expression.
std::string gpt2_pattern();

/// The bytes that a key stands for; none if a character of it stands for no byte.
std::optional<std::string> bytes_of_key(std::string_view key);
/// The key of bytes.
std::string key_of_bytes(std::string_view bytes);

} // namespace levee
