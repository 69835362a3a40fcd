// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/tokenizer.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/model/byte_level.hpp"
#include "platform/input/model/character_map.hpp"
#include "platform/input/model/pieces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace levee::gguf {

namespace {

const std::string keys = "tokenizer.ggml.";

struct Vocabulary {
    std::vector<std::string> tokens;
    std::vector<PieceType> types; ///< Same number of entries as pieces.
};

Vocabulary read_vocabulary(const File& file, std::uint32_t vocab)
{
    const auto expect_all = [&](const std::string& key, size_t found) {
        if (found != vocab) {
            file.fail_key(key, std::to_string(found) + " elements, expected the " +
                                   std::to_string(vocab) + " rows of token_embd.weight");
        }
    };
    Vocabulary vocabulary;
    vocabulary.tokens = file.texts(keys + "tokens", UINT32_MAX);
    expect_all(keys + "tokens", vocabulary.tokens.size());
    const std::string key = keys + "token_type";
    const std::vector<std::int64_t> types = file.integers(key, UINT32_MAX);
    if (file.has(key)) {
        expect_all(key, types.size());
    }
    for (size_t id = 0; id < types.size(); ++id) {
        if (types[id] < 1 || types[id] > static_cast<std::int64_t>(PieceType::byte)) {
            file.fail_key(key, std::to_string(types[id]) + " for token " + std::to_string(id) +
                                   ", expected 1 to 6");
        }
        vocabulary.types.push_back(static_cast<PieceType>(types[id]));
    }
    vocabulary.types.resize(vocab, PieceType::normal);
    return vocabulary;
}

/// Id of a special token; `otherwise` if the file does not state it, nothing if the id is not a
/// token.
std::uint32_t special(const File& file, const char* name, std::uint32_t otherwise,
                      std::uint32_t vocab)
{
    const std::string key = keys + name;
    const auto id = file.whole(key);
    if (!id) {
        return otherwise < vocab ? otherwise : LEVEE_NO_TOKEN;
    }
    if (*id == UINT32_MAX) { // Converters write this number for "none".
        return LEVEE_NO_TOKEN;
    }
    if (*id >= vocab) {
        file.fail_key(key,
                      std::to_string(*id) + ", expected a token below " + std::to_string(vocab));
    }
    return static_cast<std::uint32_t>(*id);
}

/// Token at the beginning of every text. `otherwise`: whether it is added if the file does not say.
std::uint32_t first_token(const File& file, bool otherwise, std::uint32_t default_bos,
                          std::uint32_t vocab, std::vector<std::string>& notes)
{
    const std::string key = keys + "add_bos_token";
    const std::uint32_t bos = special(file, "bos_token_id", default_bos, vocab);
    const auto asked = file.flag(key);
    if (!asked.value_or(otherwise)) {
        return LEVEE_NO_TOKEN;
    }
    if (bos == LEVEE_NO_TOKEN && asked) {
        file.fail_key(key, "true without a " + keys + "bos_token_id, expected one");
    }
    if (bos == LEVEE_NO_TOKEN) {
        notes.push_back(keys + "bos_token_id is absent: no BOS is put before a text");
    }
    return bos;
}

constexpr std::uint32_t sentencepiece_bos = 1, sentencepiece_eos = 2; // Tokens used if the file
                                                                      // does not say.

/// Map of characters, stored as unsigned or signed bytes; empty: none.
std::string character_map(const File& file)
{
    const std::string key = keys + "precompiled_charsmap";
    std::string map;
    for (const std::int64_t byte : file.integers(key, UINT32_MAX)) {
        if (byte < -128 || byte > 255) {
            file.fail_key(key, std::to_string(byte) + ", expected bytes");
        }
        map += static_cast<char>(byte);
    }
    if (!map.empty()) {
        const CharacterMap checked(map, file.source() + ": key " + key);
    }
    return map;
}

/// Special tokens of Phi-3 that remove the white space after them. Its tokenizer.json says so, but
/// no GGUF key does.
std::vector<AddedToken> taking_blanks(const std::vector<Piece>& pieces)
{
    std::vector<AddedToken> added;
    for (std::uint32_t id = 0; id < pieces.size(); ++id) {
        const Piece& piece = pieces[id];
        const bool control = piece.type == PieceType::control;
        if ((control || piece.type == PieceType::user_defined) && !piece.text.empty() &&
            piece.text != "<s>" && piece.text != "<|endoftext|>") {
            added.push_back(
                {id, control ? piece.text : with_blanks(piece.text),
                 (control ? std::uint32_t{LEVEE_ADDED_SPECIAL} : 0U) | LEVEE_ADDED_RIGHT});
        }
    }
    return added;
}

/// Tokenizer of SentencePiece's pieces; unigram: for a model that segments, otherwise for one that
/// merges.
Tokenizer pieces(const File& file, const std::string& architecture, std::uint32_t vocab,
                 bool unigram, std::vector<std::string>& notes)
{
    const Vocabulary vocabulary = read_vocabulary(file, vocab);
    const std::string key = keys + "scores";
    const std::vector<float> scores = file.numbers(key, UINT32_MAX);
    if (scores.size() != vocab) {
        file.fail_key(key,
                      (file.has(key) ? std::to_string(scores.size()) + " elements" : "absent") +
                          ", expected a score for each of " + std::to_string(vocab) + " tokens");
    }
    const std::uint32_t unknown = special(file, "unknown_token_id", LEVEE_NO_TOKEN, vocab);
    PieceVocabulary result;
    for (std::uint32_t id = 0; id < vocab; ++id) {
        if (!std::isfinite(scores[id])) {
            file.fail_key(key,
                          "not finite for token " + std::to_string(id) + ", expected a number");
        }
        const std::string& text = vocabulary.tokens[id];
        PieceType type = vocabulary.types[id];
        if (type == PieceType::normal && id == unknown) { // Files of some writers have no
                                                          // token_type.
            type = PieceType::unknown;
        } else if (type == PieceType::normal && byte_of_piece(text)) {
            type = PieceType::byte;
        }
        result.pieces.push_back({text, scores[id], type});
    }
    if (architecture == "phi3") {
        result.added = taking_blanks(result.pieces);
    }
    result.unigram = unigram;
    if (unigram) { // llama.cpp's merging tokenizer has neither
        result.map = character_map(file);
        result.removes_blanks = file.flag(keys + "remove_extra_whitespaces").value_or(false);
    }
    result.bos = first_token(file, !unigram, sentencepiece_bos, vocab, notes);
    result.eos = special(file, "eos_token_id", sentencepiece_eos, vocab);
    result.blank_first = file.flag(keys + "add_space_prefix").value_or(true);
    return piece_tokenizer(result, file.source());
}

/// Rules of llama.cpp: numbers digit by digit; marks, words and numbers separately.
constexpr std::string_view digit_rules = "digits", plain_rules = "plain";

/// Rule by which a byte-level tokenizer splits texts, from tokenizer.ggml.pre.
struct Splitting {
    std::string_view pre;
    std::string_view rules;       ///< a name of byte_level_text(), or of llama.cpp's own
    bool whole_pieces = false;    ///< a piece that is a token stays one
    bool begins_with_bos = false; ///< used if the file does not say whether texts begin with BOS
};
constexpr std::array splittings{Splitting{"gpt-2", "gpt2"},
                                Splitting{"gpt2", "gpt2"},
                                Splitting{"opt", "gpt2"},
                                Splitting{"olmo", "gpt2"},
                                Splitting{"qwen2", "qwen2"},
                                Splitting{"deepseek-r1-qwen", "qwen2"},
                                Splitting{"stablelm2", "qwen2"},
                                Splitting{"llama-bpe", "llama3", true, true},
                                Splitting{"llama3", "llama3", true, true},
                                Splitting{"llama-v3", "llama3", true, true},
                                Splitting{"dbrx", "llama3"},
                                Splitting{"smaug-bpe", "llama3"},
                                Splitting{"glm4", "llama3"},
                                Splitting{"chatglm-bpe", "llama3"},
                                Splitting{"smollm", digit_rules},
                                Splitting{"starcoder", digit_rules},
                                Splitting{"refact", digit_rules},
                                Splitting{"command-r", digit_rules},
                                Splitting{"default", plain_rules}};

TextRules text_rules(const Splitting& splitting)
{
    if (const auto published = byte_level_text(splitting.rules)) {
        return *published;
    }
    const TextStep gpt2{LEVEE_STEP_SPLIT, gpt2_pattern()};
    if (splitting.rules == digit_rules) {
        return {.splits = {{LEVEE_STEP_SPLIT, R"(\p{N})"}, gpt2}};
    }
    return {.splits = {{LEVEE_STEP_SPLIT, R"([\p{P}\$\+<=>\^~\|]+)"},
                       gpt2,
                       {LEVEE_STEP_SPLIT, R"(\p{N}+)"},
                       {LEVEE_STEP_SPLIT, "[0-9][0-9][0-9]"}}};
}

const Splitting& splitting_of(const File& file, const std::string& architecture,
                              std::vector<std::string>& notes)
{
    const std::string key = keys + "pre";
    const std::string of_architecture = architecture == "llama" ? "llama-bpe" : architecture;
    const auto named = file.text(key);
    const std::string pre = named.value_or(of_architecture);
    const auto* const found = std::ranges::find(splittings, pre, &Splitting::pre);
    if (found == splittings.end()) {
        file.fail_key(key,
                      (named ? "'" + printable(pre) + "': not supported" : std::string("absent")) +
                          ", expected gpt-2, qwen2, llama-bpe, smollm, default or another that "
                          "docs/model.md names (token ids alone: --ids-only)");
    }
    if (!named) {
        notes.push_back(key + " is absent: texts are split by the rules of " + of_architecture);
    }
    return *found;
}

Tokenizer byte_level(const File& file, const std::string& architecture, std::uint32_t vocab,
                     std::vector<std::string>& notes)
{
    const Splitting& splitting = splitting_of(file, architecture, notes);
    Vocabulary vocabulary = read_vocabulary(file, vocab);
    ByteLevelVocabulary result;
    const std::string key = keys + "merges";
    if (!file.has(key)) {
        file.fail_key(key, "absent, expected the merges of a byte-level tokenizer");
    }
    result.merges = file.texts(key, UINT32_MAX);
    result.merges_place = file.source() + ": key " + key;
    for (std::uint32_t id = 0; id < vocab; ++id) {
        const PieceType type = vocabulary.types[id];
        if (type == PieceType::control && !vocabulary.tokens[id].empty()) {
            result.added.push_back({id, vocabulary.tokens[id], LEVEE_ADDED_SPECIAL});
        } else if (type == PieceType::user_defined && !vocabulary.tokens[id].empty()) {
            result.added.push_back({id, vocabulary.tokens[id], 0});
        } else if (type == PieceType::unused) {
            vocabulary.tokens[id].clear();
        }
    }
    result.keys = std::move(vocabulary.tokens);
    result.text = text_rules(splitting);
    result.whole_pieces = splitting.whole_pieces;
    result.bos = first_token(file, splitting.begins_with_bos, LEVEE_NO_TOKEN, vocab, notes);
    result.eos = special(file, "eos_token_id", LEVEE_NO_TOKEN, vocab);
    result.unknown = special(file, "unknown_token_id", LEVEE_NO_TOKEN, vocab);
    return byte_level_tokenizer(result, file.source());
}

} // namespace

Tokenizer number_tokenizer(const File& file, std::uint32_t vocab)
{
    const std::string model = file.text(keys + "model").value_or("none");
    const bool has_pieces = model == "llama" || model == "t5";
    return Tokenizer::numbers(
        vocab, file.source(),
        special(file, "eos_token_id", has_pieces ? sentencepiece_eos : LEVEE_NO_TOKEN, vocab));
}

Tokenizer read_tokenizer(const File& file, const std::string& architecture, std::uint32_t vocab,
                         std::vector<std::string>& notes)
{
    const std::string key = keys + "model";
    const std::string model = file.text(key).value_or("none");
    if (model == "none" || model == "no_vocab") {
        notes.emplace_back("the file has no tokenizer: the image takes token ids");
        return number_tokenizer(file, vocab);
    }
    if (file.flag(keys + "add_eos_token").value_or(false)) {
        notes.push_back(keys + "add_eos_token: texts are continued, none gets an end of text");
    }
    if (model == "llama") {
        return pieces(file, architecture, vocab, false, notes);
    }
    if (model == "t5") {
        return pieces(file, architecture, vocab, true, notes);
    }
    if (model == "gpt2") {
        return byte_level(file, architecture, vocab, notes);
    }
    file.fail_key(key,
                  "'" + printable(model) +
                      "': not supported, expected llama, gpt2 or t5 (token ids alone: --ids-only)");
}

std::vector<std::uint32_t> read_stops(const File& file, std::uint32_t eos, std::uint32_t vocab)
{
    std::vector<std::uint32_t> stops;
    for (const char* const name : {"eot_token_id", "eom_token_id"}) {
        const std::uint32_t token = special(file, name, LEVEE_NO_TOKEN, vocab);
        if (token != LEVEE_NO_TOKEN && token != eos &&
            std::ranges::find(stops, token) == stops.end()) {
            stops.push_back(token);
        }
    }
    return stops;
}

} // namespace levee::gguf
