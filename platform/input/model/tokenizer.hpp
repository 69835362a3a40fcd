// SPDX-License-Identifier: Apache-2.0
// Converts text to token ids and back, with a tokenizer as a model image stores it.
#pragma once

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/token.hpp"
#include "platform/input/model/tokenizer_rules.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace levee {

class RuleEncoder;

/// A tokenizer of one of these kinds:
///
///  BPE   as in llama2.c: a blank before the text, then its characters (UTF-8), with bytes for
///        unknown characters; then merges of neighbours, the best score first and the leftmost
///        among equals, until none is left.
///  WORD  words between white space. A word is looked up as " word", then as "word". If it is no
///        token, a final . , ? or ! that is a token is split off.
///  NONE  no text form: encode() throws, and tokens print as their numbers.
///  RULES according to its TokenizerRules (rule_encoder.hpp). Special tokens print nothing.
///
/// If several tokens have the same text, the lowest id encodes it. BPE's byte tokens (ids 3 to 258)
/// are an exception: they encode only unknown bytes.
class Tokenizer {
public:
    /// bos and eos are LEVEE_NO_TOKEN if there are none. Throws ModelError ("<source>:
    /// tokenizer.<field>: ...").
    Tokenizer(levee_tokenizer_kind kind, std::uint32_t bos, std::uint32_t eos,
              std::vector<Token> tokens, const std::string& source);
    /// For LEVEE_TOKENIZER_RULES. `bos` is the token at the beginning of every text, or
    /// LEVEE_NO_TOKEN.
    Tokenizer(std::uint32_t bos, std::uint32_t eos, std::vector<Token> tokens,
              const TokenizerRules& rules, const std::string& source);

    /// Reads the tokenizer section of an image.
    static Tokenizer parse(std::span<const std::uint8_t> section, const std::string& source);
    std::vector<std::uint8_t> serialize() const;

    /// Reads a llama2.c tokenizer.bin of exactly `vocab` tokens, with BOS 1 and EOS 2. For BPE,
    /// "<0x0A>" becomes its byte.
    static Tokenizer read_llama2c(const std::filesystem::path& path, std::uint32_t vocab,
                                  levee_tokenizer_kind kind);

    /// Makes a tokenizer without a text form: token i prints as " i". There is no BOS.
    static Tokenizer numbers(std::uint32_t vocab, const std::string& source,
                             std::uint32_t eos = LEVEE_NO_TOKEN);

    /// Returns the ids of a text, after BOS if `with_bos`. An empty text has no other tokens.
    /// Throws ModelError with the word, character or byte that has no token, for the kind NONE, and
    /// if a requested BOS does not exist.
    std::vector<std::uint32_t> encode(std::string_view text, bool with_bos) const;

    /// Encodes parts that form one text, without BOS. In plain parts, special tokens and `markers`
    /// are ordinary text. Requires a tokenizer with LEVEE_TOKENIZER_RULES.
    std::vector<std::uint32_t> encode(std::span<const TextPart> parts,
                                      std::span<const std::uint32_t> markers) const;
    /// Returns the added token with this text, for which the encoder searches a text first, if
    /// there is one.
    std::optional<std::uint32_t> added(std::string_view text) const;

    /// Returns the text that `token` prints when it follows `previous`. Directly after BOS, one
    /// leading blank is dropped (for RULES only with LEVEE_TOKENIZER_BLANK_FIRST). Throws
    /// ModelError for an id beyond the vocabulary.
    std::string_view piece(std::uint32_t previous, std::uint32_t token) const;
    /// Joins all pieces; BOS and EOS print nothing.
    std::string decode(std::span<const std::uint32_t> ids) const;

    levee_tokenizer_kind kind() const { return kind_; }
    std::uint32_t bos() const { return bos_; }
    std::uint32_t eos() const { return eos_; }
    std::uint32_t vocab() const { return static_cast<std::uint32_t>(tokens_.size()); }
    const Token& token(std::uint32_t id) const { return tokens_.at(id); }

private:
    void check_tokens(const std::string& source) const;
    std::optional<std::uint32_t> find(const std::string& text) const;
    std::vector<std::uint32_t> encode_characters(std::string_view text) const;
    std::vector<std::uint32_t> encode_words(std::string_view text) const;
    void append_word(const std::string& word, std::vector<std::uint32_t>& ids) const;

    levee_tokenizer_kind kind_;
    std::uint32_t bos_;
    std::uint32_t eos_;
    std::vector<Token> tokens_;
    bool has_bytes_ = false;
    std::unordered_map<std::string, std::uint32_t> ids_; // only for lookups, never iterated over
    std::shared_ptr<const RuleEncoder> rules_;
};

} // namespace levee
