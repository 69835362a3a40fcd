// SPDX-License-Identifier: Apache-2.0
// The tokenizer's two stored forms: a section of the image, and llama2.c's file.
#include "platform/input/model/file.hpp"
#include "platform/input/model/pieces.hpp"
#include "platform/input/model/rule_encoder.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

constexpr std::uint32_t llama2c_bos = 1;
constexpr std::uint32_t llama2c_eos = 2;
constexpr std::uint32_t max_token_bytes = 4096;

/// Returns the offset of the rules if the tokens end at `end`.
std::uint64_t rules_begin(std::uint64_t end)
{
    return (end + 7) / 8 * 8;
}

[[noreturn]] void fail(const std::string& source, const std::string& what)
{
    throw ModelError(source + ": tokenizer." + what);
}

std::vector<Token> parse_tokens(std::span<const std::uint8_t> section,
                                const levee_tokenizer_header& header, const std::string& source)
{
    const size_t entries_end = sizeof header + size_t{header.vocab} * sizeof(levee_token_entry);
    std::vector<Token> tokens;
    tokens.reserve(header.vocab);
    for (std::uint32_t id = 0; id < header.vocab; ++id) {
        levee_token_entry entry;
        std::memcpy(&entry, section.data() + sizeof header + id * sizeof entry, sizeof entry);
        if (std::uint64_t{entry.offset} + entry.bytes > header.text_bytes ||
            entry.bytes > header.max_token_bytes) {
            fail(source, "entry " + std::to_string(id) + ": bytes " + std::to_string(entry.offset) +
                             " to " + std::to_string(std::uint64_t{entry.offset} + entry.bytes) +
                             ", expected at most " + std::to_string(header.max_token_bytes) +
                             " bytes within " + std::to_string(header.text_bytes));
        }
        const auto text = section.subspan(entries_end + entry.offset, entry.bytes);
        tokens.push_back({entry.score, std::string(text.begin(), text.end())});
    }
    return tokens;
}

/// Reads a llama2.c file sequentially.
class Cursor {
public:
    Cursor(std::span<const std::uint8_t> bytes, const std::string& source)
        : bytes_(bytes), source_(source)
    {
    }

    template <typename T> T take(const std::string& what)
    {
        T value;
        const auto raw = take_bytes(sizeof value, what);
        std::memcpy(&value, raw.data(), sizeof value);
        return value;
    }

    std::span<const std::uint8_t> take_bytes(size_t count, const std::string& what)
    {
        if (count > bytes_.size() - at_) {
            throw ModelError(source_ + ": ends at byte " + std::to_string(bytes_.size()) +
                             ", expected " + std::to_string(count) + " bytes of " + what +
                             " from byte " + std::to_string(at_));
        }
        const auto taken = bytes_.subspan(at_, count);
        at_ += count;
        return taken;
    }

    size_t left() const { return bytes_.size() - at_; }

private:
    std::span<const std::uint8_t> bytes_;
    const std::string& source_;
    size_t at_ = 0;
};

} // namespace

Tokenizer Tokenizer::parse(std::span<const std::uint8_t> section, const std::string& source)
{
    levee_tokenizer_header header;
    if (section.size() < sizeof header) {
        fail(source, "bytes: " + std::to_string(section.size()) + ", expected at least " +
                         std::to_string(sizeof header));
    }
    std::memcpy(&header, section.data(), sizeof header);
    if (header.kind > LEVEE_TOKENIZER_RULES) {
        fail(source, "kind: " + std::to_string(header.kind) +
                         ", expected 0 (none), 1 (BPE), 2 (words) or 3 (rules)");
    }
    const bool has_rules = header.kind == LEVEE_TOKENIZER_RULES;
    const std::uint64_t needed =
        sizeof header + std::uint64_t{header.vocab} * sizeof(levee_token_entry) + header.text_bytes;
    if (has_rules ? rules_begin(needed) > section.size() : needed != section.size()) {
        fail(source, "bytes: " + std::to_string(section.size()) + ", expected " +
                         std::to_string(needed) + " for " + std::to_string(header.vocab) +
                         " tokens with " + std::to_string(header.text_bytes) + " bytes of text");
    }
    if (has_rules)
        return Tokenizer(header.bos, header.eos, parse_tokens(section, header, source),
                         parse_rules(section.subspan(rules_begin(needed)), header.vocab, source),
                         source);
    return Tokenizer(static_cast<levee_tokenizer_kind>(header.kind), header.bos, header.eos,
                     parse_tokens(section, header, source), source);
}

std::vector<std::uint8_t> Tokenizer::serialize() const
{
    levee_tokenizer_header header{kind_, vocab(), bos_, eos_, 0, 0};
    std::vector<levee_token_entry> entries;
    for (const Token& token : tokens_) {
        const auto bytes = static_cast<std::uint32_t>(token.text.size());
        entries.push_back({token.score, header.text_bytes, bytes});
        header.text_bytes += bytes;
        header.max_token_bytes = std::max(header.max_token_bytes, bytes);
    }
    std::vector<std::uint8_t> section;
    append_object(section, header);
    for (const levee_token_entry& entry : entries) {
        append_object(section, entry);
    }
    for (const Token& token : tokens_) {
        section.insert(section.end(), token.text.begin(), token.text.end());
    }
    if (rules_) {
        section.resize(rules_begin(section.size()));
        const std::vector<std::uint8_t> rules = serialize_rules(rules_->rules());
        section.insert(section.end(), rules.begin(), rules.end());
    }
    return section;
}

Tokenizer Tokenizer::read_llama2c(const std::filesystem::path& path, std::uint32_t vocab,
                                  levee_tokenizer_kind kind)
{
    const std::string source = path.string();
    const auto bytes = read_file(path);
    Cursor cursor(bytes, source);
    cursor.take<std::int32_t>("the longest token's size");
    std::vector<Token> tokens;
    for (std::uint32_t id = 0; id < vocab; ++id) {
        const std::string place = "token " + std::to_string(id) + " of " + std::to_string(vocab);
        const auto score = cursor.take<float>("the score of " + place);
        const auto size = cursor.take<std::int32_t>("the size of " + place);
        if (size < 0 || static_cast<std::uint32_t>(size) > max_token_bytes) {
            throw ModelError(source + ": size of " + place + ": " + std::to_string(size) +
                             ", expected 0 to " + std::to_string(max_token_bytes));
        }
        const auto raw = cursor.take_bytes(static_cast<size_t>(size), place);
        std::string text(raw.begin(), raw.end());
        if (const auto byte = byte_of_piece(text); byte && kind == LEVEE_TOKENIZER_BPE) {
            text = std::string(1, *byte);
        }
        tokens.push_back({score, text});
    }
    if (cursor.left() != 0) {
        throw ModelError(source + ": " + std::to_string(cursor.left()) + " bytes after token " +
                         std::to_string(vocab - 1) + ", expected none: the model's vocabulary is " +
                         std::to_string(vocab) + " tokens");
    }
    return Tokenizer(kind, llama2c_bos, llama2c_eos, std::move(tokens), source);
}

} // namespace levee
