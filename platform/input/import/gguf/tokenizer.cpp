// SPDX-License-Identifier: Apache-2.0
#include "platform/input/import/gguf/tokenizer.hpp"

#include "platform/input/import/gguf/cursor.hpp"
#include "platform/input/import/jinja/builtins.hpp"
#include "platform/input/import/own_chat.hpp"
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
    std::vector<PieceType> types; ///< one for each token
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

/// Returns the id of a special token; `otherwise` if the file does not state it. Returns none if
/// the file says so, or if `otherwise` is not a token. Throws if the file's id is not a token.
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

/// Returns the token that begins every text. `otherwise` states whether texts begin with a token if
/// the file does not say so.
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

/// Returns the map of characters, which is stored as unsigned or signed bytes; empty if there is
/// none.
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

/// Returns Phi-3's special tokens that remove the white space after them. Only its tokenizer.json
/// says so; no GGUF key does.
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

/// Makes a tokenizer of SentencePiece's pieces. With `unigram` it selects the most probable
/// segmentation (Unigram), otherwise it merges pieces (BPE).
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
    if (unigram) { // llama.cpp's merging tokenizer (SPM) has neither
        result.map = character_map(file);
        result.removes_blanks = file.flag(keys + "remove_extra_whitespaces").value_or(false);
    }
    result.bos = first_token(file, !unigram, sentencepiece_bos, vocab, notes);
    result.eos = special(file, "eos_token_id", sentencepiece_eos, vocab);
    result.blank_first = file.flag(keys + "add_space_prefix").value_or(true);
    return piece_tokenizer(result, file.source());
}

/// llama.cpp's own rules. With "digits", numbers are split digit by digit; with "plain", marks,
/// words and numbers are separated.
constexpr std::string_view digit_rules = "digits", plain_rules = "plain";
/// DeepSeek's rules. They split a text at line ends, then at words, marks, Chinese characters and
/// numbers.
constexpr std::string_view deepseek_rules = "deepseek", deepseek_coder_rules = "deepseek-coder",
                           deepseek3_rules = "deepseek3";

/// Letters that have case, as the tokenizer of DeepSeek LLM defines them: fewer than in Unicode.
constexpr const char* deepseek_letters =
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293"
    "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c"
    "\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5"
    "\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
    "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59"
    "\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc"
    "\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
    "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee"
    "\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
    "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f"
    "\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2"
    "\U000118a0-\U000118df\U0001e900-\U0001e943";

/// The rules by which a byte-level tokenizer splits texts. tokenizer.ggml.pre names them.
struct Splitting {
    std::string_view pre;
    std::string_view rules;       ///< a name of byte_level_text(), or of llama.cpp's own
    bool whole_pieces = false;    ///< a piece that is a token is not divided
    bool begins_with_bos = false; ///< used if the file does not say whether texts begin with BOS
};
constexpr std::array splittings{Splitting{"gpt-2", "gpt2"},
                                Splitting{"gpt2", "gpt2"},
                                Splitting{"opt", "gpt2"},
                                Splitting{"olmo", "gpt2"},
                                Splitting{"qwen2", "qwen2"},
                                Splitting{"deepseek-r1-qwen", "qwen2"},
                                Splitting{"stablelm2", "qwen2"},
                                Splitting{"megrez", "qwen2"},
                                Splitting{"exaone4", "gpt2"},
                                Splitting{"gpt-4o", "o200k"},
                                Splitting{"llama4", "o200k"},
                                Splitting{"tekken", "tekken", true, true},
                                Splitting{"falcon3", "llama3", true, true},
                                Splitting{"pixtral", "llama3", true, true},
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
                                Splitting{"exaone", digit_rules},
                                Splitting{"deepseek-llm", deepseek_rules},
                                Splitting{"deepseek-coder", deepseek_coder_rules},
                                Splitting{"deepseek-v3", deepseek3_rules},
                                Splitting{"default", plain_rules}};

TextRules in_turn(const std::vector<std::string>& patterns)
{
    TextRules rules;
    for (const std::string& pattern : patterns) {
        rules.splits.push_back({LEVEE_STEP_SPLIT, pattern});
    }
    return rules;
}

TextRules deepseek_text(std::string_view rules)
{
    if (rules == deepseek3_rules) {
        return in_turn({R"(\p{N}{1,3})", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
                        R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
                        R"(|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*)"
                        R"(|\s*[\r\n]+|\s+(?!\S)|\s+)"});
    }
    const std::string line_ends = R"([\r\n])";
    const std::string chinese = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+";
    if (rules == deepseek_coder_rules) {
        return in_turn({line_ends, R"(\s?\p{L}+)", R"(\s?\p{P}+)", chinese, R"(\p{N})"});
    }
    return in_turn({line_ends, R"(\s?[)" + std::string(deepseek_letters) + "]+",
                    "\\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3000-\u3002]+", R"(\s+$)",
                    chinese, R"(\p{N}+)"});
}

TextRules text_rules(const Splitting& splitting)
{
    if (const auto published = byte_level_text(splitting.rules)) {
        return *published;
    }
    if (splitting.rules.starts_with("deepseek")) {
        return deepseek_text(splitting.rules);
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
                          "docs/model.md names (to use token ids only: --ids-only)");
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

/// Names of special tokens in transformers, and the keys with their ids. Converters misspell one.
constexpr std::array<std::pair<const char*, const char*>, 8> token_keys{
    {{"bos_token", "bos_token_id"},
     {"eos_token", "eos_token_id"},
     {"unk_token", "unknown_token_id"},
     {"sep_token", "separator_token_id"},
     {"sep_token", "seperator_token_id"},
     {"pad_token", "padding_token_id"},
     {"cls_token", "cls_token_id"},
     {"mask_token", "mask_token_id"}}};

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
        notes.push_back(
            keys +
            "add_eos_token is ignored: texts get no end-of-text token, because runs continue them");
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
    file.fail_key(
        key,
        "'" + printable(model) +
            "': not supported, expected llama, gpt2 or t5 (to use token ids only: --ids-only)");
}

std::uint32_t read_chat(const File& file, const Tokenizer& tokenizer,
                        std::vector<std::string>& notes)
{
    const std::string key = "tokenizer.chat_template";
    if (tokenizer.kind() == LEVEE_TOKENIZER_NONE)
        return 0;
    const std::uint64_t bytes = file.text_bytes(key);
    if (bytes > jinja::most_bytes) {
        notes.push_back(
            file.source() + ": key " + key + ": " + std::to_string(bytes) +
            " bytes, more than the " + std::to_string(jinja::most_bytes) +
            " that are read: workload.chat chooses its template by special tokens only");
        return 0;
    }
    auto held = file.text(key, jinja::most_bytes);
    if (!held)
        return chat_number(std::nullopt, tokenizer, notes);
    const std::vector<std::string> tokens = file.texts(keys + "tokens", UINT32_MAX);
    OwnChat own{std::move(*held), file.source() + ": key " + key};
    for (const auto& [name, id_key] : token_keys) {
        const auto id = file.whole(keys + id_key);
        if (id && *id < tokens.size())
            own.tokens.emplace(name, tokens[*id]);
    }
    return chat_number(own, tokenizer, notes);
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
