// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/byte_level.hpp"

#include "platform/input/model/text_steps.hpp"

#include <array>
#include <unordered_map>

namespace levee {

namespace {

constexpr std::uint32_t byte_values = 256;
constexpr std::uint32_t first_moved = 0x100; // code point for the first byte that is not printable

bool is_itself(std::uint32_t byte)
{
    return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

/// Returns the code points of the bytes. All are below U+0800.
std::array<std::uint32_t, byte_values> code_points()
{
    std::array<std::uint32_t, byte_values> codes{};
    std::uint32_t next = first_moved;
    for (std::uint32_t byte = 0; byte < byte_values; ++byte)
        codes[byte] = is_itself(byte) ? byte : next++;
    return codes;
}

std::string utf8_of(std::uint32_t code)
{
    if (code < 0x80)
        return {static_cast<char>(code)};
    return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
}

using KeyIds = std::unordered_map<std::string, std::uint32_t>;

std::uint32_t id_of_key(const KeyIds& ids, const std::string& key, const std::string& place)
{
    const auto found = ids.find(key);
    if (found == ids.end())
        throw ModelError(place + ": '" + key + "' is not a token, expected one of the vocabulary");
    return found->second;
}

levee_token_merge merge_of(const std::string& pair, const KeyIds& ids, const std::string& place)
{
    const std::size_t blank = pair.find(' ');
    if (blank == 0 || blank == std::string::npos || blank + 1 == pair.size() ||
        pair.find(' ', blank + 1) != std::string::npos)
        throw ModelError(place + ": '" + pair + "', expected two tokens separated by a blank");
    const std::string left = pair.substr(0, blank);
    const std::string right = pair.substr(blank + 1);
    return {id_of_key(ids, left, place), id_of_key(ids, right, place),
            id_of_key(ids, left + right, place)};
}

TextRules split_by(const char* pattern)
{
    return {{}, {{LEVEE_STEP_SPLIT, pattern}}};
}

} // namespace

std::string gpt2_pattern()
{
    return R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
}

std::optional<TextRules> byte_level_text(std::string_view family)
{
    if (family == "gpt2")
        return split_by(gpt2_pattern().c_str());
    if (family == "qwen2") {
        TextRules rules = split_by(
            R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
        rules.normalizers.push_back({LEVEE_STEP_NFC});
        return rules;
    }
    if (family == "llama3")
        return split_by(
            R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
    // Patterns for words that start with capital letters and continue with small letters. In
    // o200k's rules, a contraction such as 's belongs to the word.
    const std::string capitals = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])";
    const std::string smalls = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
    const auto by_capitals = [&](const std::string& behind_word, const std::string& numbers) {
        const std::string before = R"([^\r\n\p{L}\p{N}]?)";
        return split_by((before + capitals + "*" + smalls + "+" + behind_word + "|" + before +
                         capitals + "+" + smalls + "*" + behind_word + "|" + numbers +
                         R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)")
                            .c_str());
    };
    if (family == "o200k")
        return by_capitals("(?i:'s|'t|'re|'ve|'m|'ll|'d)?", R"(\p{N}{1,3})");
    if (family == "tekken")
        return by_capitals("", R"(\p{N})");
    return std::nullopt;
}

std::optional<std::string> bytes_of_key(std::string_view key)
{
    static const auto bytes = [] {
        std::unordered_map<std::string, char> table;
        const auto codes = code_points();
        for (std::uint32_t byte = 0; byte < byte_values; ++byte)
            table.emplace(utf8_of(codes[byte]), static_cast<char>(byte));
        return table;
    }();
    std::string result;
    while (!key.empty()) {
        const auto found = bytes.find(std::string(key.substr(0, character_at(key))));
        if (found == bytes.end())
            return std::nullopt;
        result += found->second;
        key.remove_prefix(found->first.size());
    }
    return result;
}

std::string key_of_bytes(std::string_view bytes)
{
    static const auto codes = code_points();
    std::string key;
    for (const char byte : bytes)
        key += utf8_of(codes[static_cast<unsigned char>(byte)]);
    return key;
}

Tokenizer byte_level_tokenizer(const ByteLevelVocabulary& vocabulary, const std::string& source)
{
    TokenizerRules rules;
    rules.flags = LEVEE_TOKENIZER_BYTE_LEVEL |
                  (vocabulary.whole_pieces ? std::uint32_t{LEVEE_TOKENIZER_WHOLE_PIECES} : 0U);
    rules.unknown = vocabulary.unknown;
    rules.added = vocabulary.added;
    rules.normalizers = vocabulary.text.normalizers;
    rules.splits = vocabulary.text.splits;
    KeyIds ids;
    std::vector<Token> tokens;
    for (const std::string& key : vocabulary.keys) {
        if (!key.empty())
            ids.emplace(key, static_cast<std::uint32_t>(tokens.size()));
        tokens.push_back({0.0F, bytes_of_key(key).value_or(key)});
    }
    for (const AddedToken& token : rules.added) {
        if (token.id < tokens.size())
            tokens[token.id].text = (token.flags & LEVEE_ADDED_SPECIAL) != 0 ? "" : token.text;
    }
    if (vocabulary.bos < tokens.size())
        tokens[vocabulary.bos].text.clear();
    for (std::uint32_t byte = 0; byte < byte_values; ++byte) {
        const auto found = ids.find(key_of_bytes(std::string(1, static_cast<char>(byte))));
        rules.byte_tokens.push_back(found == ids.end() ? LEVEE_NO_TOKEN : found->second);
    }
    const std::string place =
        vocabulary.merges_place.empty() ? source + ": merges" : vocabulary.merges_place;
    for (std::size_t i = 0; i < vocabulary.merges.size(); ++i)
        rules.merges.push_back(
            merge_of(vocabulary.merges[i], ids, place + "[" + std::to_string(i) + "]"));
    return {vocabulary.bos, vocabulary.eos, std::move(tokens), rules, source};
}

} // namespace levee
