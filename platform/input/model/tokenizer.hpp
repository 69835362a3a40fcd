// SPDX-License-Identifier: Apache-2.0
// Text to token ids and back, as a model image holds it.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace levee {

struct Token {
    float score = 0.0F;
    std::string text; // the bytes that are printed
};

// Kinds:
//   BPE   llama2.c's way: a space before the text, then its characters (UTF-8; unknown ones as
//   bytes),
//         then the best-scored merge of neighbours, leftmost first, until none is left.
//   WORD  words between white space; a final . , ? or ! that is a token is split off. A word is
//   looked
//         up as " word", then as "word".
//   NONE  no text form: encode() refuses; tokens print as their numbers.
// Of several tokens with the same text the lowest id is found, but for BPE's byte tokens (ids 3 to
// 258), which are only used for unknown bytes.
class Tokenizer {
public:
    // bos, eos: LEVEE_NO_TOKEN for none. Throws ModelError ("<source>: tokenizer.<field>: ...").
    Tokenizer(levee_tokenizer_kind kind, uint32_t bos, uint32_t eos, std::vector<Token> tokens,
              const std::string& source);

    // The tokenizer section of an image.
    static Tokenizer parse(std::span<const uint8_t> section, const std::string& source);
    std::vector<uint8_t> serialize() const;

    // A llama2.c tokenizer.bin of exactly `vocab` tokens, BOS 1, EOS 2. For BPE a "<0x0A>" becomes
    // its byte.
    static Tokenizer read_llama2c(const std::filesystem::path& path, uint32_t vocab,
                                  levee_tokenizer_kind kind);

    // Ids of a text, after BOS if asked for. Throws ModelError naming the word, character or byte
    // that has no token. An empty text has no tokens.
    std::vector<uint32_t> encode(std::string_view text, bool with_bos) const;

    // What is printed for `token` after `previous`: right after BOS one leading space is dropped.
    // Throws ModelError for an id beyond the vocabulary.
    std::string_view piece(uint32_t previous, uint32_t token) const;
    // All pieces; BOS and EOS themselves print nothing.
    std::string decode(std::span<const uint32_t> ids) const;

    levee_tokenizer_kind kind() const { return m_kind; }
    uint32_t bos() const { return m_bos; }
    uint32_t eos() const { return m_eos; }
    uint32_t vocab() const { return static_cast<uint32_t>(m_tokens.size()); }
    const Token& token(uint32_t id) const { return m_tokens.at(id); }

private:
    std::optional<uint32_t> find(const std::string& text) const;
    std::vector<uint32_t> encode_characters(std::string_view text) const;
    std::vector<uint32_t> encode_words(std::string_view text) const;
    void append_word(const std::string& word, std::vector<uint32_t>& ids) const;

    levee_tokenizer_kind m_kind;
    uint32_t m_bos;
    uint32_t m_eos;
    std::vector<Token> m_tokens;
    bool m_has_bytes = false;
    std::unordered_map<std::string, uint32_t> m_ids; // looked up, never walked
};

} // namespace levee
