// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/tokenizer.hpp"

#include "platform/input/model/bpe.hpp"
#include "platform/input/model/rule_encoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace levee {

namespace {

constexpr std::uint32_t first_byte_token = 3; // llama2.c's byte tokens follow <unk>, <s> and </s>
constexpr std::uint32_t byte_tokens = 256;

bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Returns the length of the character at the beginning of a text: a lead byte and its continuation
/// bytes, at most four bytes.
size_t character_bytes(std::string_view text)
{
    size_t count = 1;
    while (count < std::min<size_t>(4, text.size()) &&
           (static_cast<std::uint8_t>(text[count]) & 0xC0U) == 0x80U) {
        ++count;
    }
    return count;
}

std::vector<std::string> split_words(std::string_view text)
{
    std::vector<std::string> words;
    size_t at = 0;
    while (at < text.size()) {
        while (at < text.size() && is_space(text[at])) {
            ++at;
        }
        const size_t begin = at;
        while (at < text.size() && !is_space(text[at])) {
            ++at;
        }
        if (at > begin) {
            words.emplace_back(text.substr(begin, at - begin));
        }
    }
    return words;
}

void check_special(const char* field, std::uint32_t id, size_t vocab, const std::string& source)
{
    if (id != LEVEE_NO_TOKEN && id >= vocab) {
        throw ModelError(source + ": tokenizer." + field + ": " + std::to_string(id) +
                         ", expected a token below " + std::to_string(vocab) + ", or none");
    }
}

} // namespace

Tokenizer::Tokenizer(levee_tokenizer_kind kind, std::uint32_t bos, std::uint32_t eos,
                     std::vector<Token> tokens, const std::string& source)
    : kind_(kind), bos_(bos), eos_(eos), tokens_(std::move(tokens))
{
    check_tokens(source);
    has_bytes_ = kind == LEVEE_TOKENIZER_BPE && tokens_.size() >= first_byte_token + byte_tokens;
    for (std::uint32_t byte = 0; has_bytes_ && byte < byte_tokens; ++byte) {
        has_bytes_ =
            tokens_[first_byte_token + byte].text == std::string(1, static_cast<char>(byte));
    }
    for (std::uint32_t id = 0; id < tokens_.size(); ++id) {
        const bool is_byte =
            has_bytes_ && id >= first_byte_token && id < first_byte_token + byte_tokens;
        if (!is_byte && !tokens_[id].text.empty()) {
            ids_.emplace(tokens_[id].text, id);
        }
    }
}

Tokenizer Tokenizer::numbers(std::uint32_t vocab, const std::string& source, std::uint32_t eos)
{
    std::vector<Token> tokens(vocab);
    for (std::uint32_t id = 0; id < vocab; ++id) {
        tokens[id].text = " " + std::to_string(id);
    }
    return {LEVEE_TOKENIZER_NONE, LEVEE_NO_TOKEN, eos, std::move(tokens), source};
}

Tokenizer::Tokenizer(std::uint32_t bos, std::uint32_t eos, std::vector<Token> tokens,
                     const TokenizerRules& rules, const std::string& source)
    : kind_(LEVEE_TOKENIZER_RULES), bos_(bos), eos_(eos), tokens_(std::move(tokens))
{
    check_tokens(source);
    rules_ = std::make_shared<RuleEncoder>(tokens_, rules, source);
}

void Tokenizer::check_tokens(const std::string& source) const
{
    check_special("bos", bos_, tokens_.size(), source);
    check_special("eos", eos_, tokens_.size(), source);
    for (size_t id = 0; id < tokens_.size(); ++id) {
        if (!std::isfinite(tokens_[id].score)) {
            throw ModelError(source + ": tokenizer.score of token " + std::to_string(id) +
                             ": not a number, expected a finite score");
        }
    }
}

std::optional<std::uint32_t> Tokenizer::find(const std::string& text) const
{
    const auto found = ids_.find(text);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text, bool with_bos) const
{
    if (kind_ == LEVEE_TOKENIZER_NONE) {
        throw ModelError("the model's image has no text tokenizer: give token ids instead of text");
    }
    std::vector<std::uint32_t> ids;
    if (with_bos) {
        if (bos_ == LEVEE_NO_TOKEN) {
            throw ModelError("the model's tokenizer has no BOS token to begin a text with");
        }
        ids.push_back(bos_);
    }
    const auto body = rules_                         ? rules_->encode(text, tokens_)
                      : kind_ == LEVEE_TOKENIZER_BPE ? encode_characters(text)
                                                     : encode_words(text);
    ids.insert(ids.end(), body.begin(), body.end());
    return ids;
}

std::vector<std::uint32_t> Tokenizer::encode(std::span<const TextPart> parts,
                                             std::span<const std::uint32_t> markers) const
{
    if (!rules_)
        throw ModelError("the model's tokenizer has no special tokens: give only a text");
    return rules_->encode(parts, markers, tokens_);
}

std::optional<std::uint32_t> Tokenizer::added(std::string_view text) const
{
    return rules_ ? rules_->added(text) : std::nullopt;
}

std::vector<std::uint32_t> Tokenizer::encode_characters(std::string_view text) const
{
    if (text.empty()) {
        return {};
    }
    std::vector<std::uint32_t> ids;
    const std::string spaced = " " + std::string(text);
    for (size_t at = 0; at < spaced.size();) {
        const std::string character =
            spaced.substr(at, character_bytes(std::string_view(spaced).substr(at)));
        if (const auto id = find(character)) {
            ids.push_back(*id);
        } else if (has_bytes_) {
            for (const char byte : character) {
                ids.push_back(first_byte_token + static_cast<std::uint8_t>(byte));
            }
        } else {
            throw ModelError("no token for the character '" + character + "' at byte " +
                             std::to_string(at - std::min<size_t>(at, 1)) +
                             " of the text, and the tokenizer has no byte tokens");
        }
        at += character.size();
    }
    return merge_pairs(ids,
                       [this](std::uint32_t left, std::uint32_t right) -> std::optional<Merge> {
                           const auto id = find(tokens_[left].text + tokens_[right].text);
                           return id ? std::optional(Merge{*id, tokens_[*id].score}) : std::nullopt;
                       });
}

void Tokenizer::append_word(const std::string& word, std::vector<std::uint32_t>& ids) const
{
    auto id = find(" " + word);
    id = id ? id : find(word);
    if (id) {
        ids.push_back(*id);
        return;
    }
    const std::string last(1, word.back());
    if (word.size() > 1 && std::string_view(".,?!").find(last) != std::string_view::npos &&
        find(last)) {
        append_word(word.substr(0, word.size() - 1), ids);
        ids.push_back(*find(last));
        return;
    }
    throw ModelError("no token for the word '" + word + "': this model knows only " +
                     std::to_string(tokens_.size()) + " words");
}

std::vector<std::uint32_t> Tokenizer::encode_words(std::string_view text) const
{
    std::vector<std::uint32_t> ids;
    for (const std::string& word : split_words(text)) {
        append_word(word, ids);
    }
    return ids;
}

std::string_view Tokenizer::piece(std::uint32_t previous, std::uint32_t token) const
{
    if (token >= tokens_.size()) {
        throw ModelError("token " + std::to_string(token) + ", expected a token below " +
                         std::to_string(tokens_.size()));
    }
    std::string_view text = tokens_[token].text;
    const bool drops = !rules_ || (rules_->rules().flags & LEVEE_TOKENIZER_BLANK_FIRST) != 0;
    if (drops && previous == bos_ && text.starts_with(' ')) {
        text.remove_prefix(1);
    }
    return text;
}

std::string Tokenizer::decode(std::span<const std::uint32_t> ids) const
{
    std::string text;
    std::uint32_t previous = LEVEE_NO_TOKEN - 1; // differs from every token, and from
                                                 // LEVEE_NO_TOKEN, the value of bos_ if there is no
                                                 // BOS
    for (const std::uint32_t id : ids) {
        const std::string_view shown = piece(previous, id);
        if (id != bos_ && id != eos_) {
            text += shown;
        }
        previous = id;
    }
    return text;
}

} // namespace levee
