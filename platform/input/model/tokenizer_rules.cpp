// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/tokenizer_rules.hpp"

#include "platform/input/model/file.hpp"
#include "platform/input/model/model_shape.hpp"

#include <cstring>
#include <string_view>

namespace levee {

namespace {

constexpr std::uint32_t all_tokenizer_flags = 2 * LEVEE_TOKENIZER_UNIGRAM - 1;
constexpr std::uint32_t all_added_flags = 2 * LEVEE_ADDED_RIGHT - 1;
constexpr std::size_t most_merges = 1U << 24; // ranks up to this number are exact in FP32
constexpr std::size_t all_bytes = 256;

class RulesChecker {
public:
    RulesChecker(std::uint32_t vocab, const std::string& source) : vocab_(vocab), source_(source) {}

    void token(const std::string& field, std::uint32_t id) const
    {
        if (id >= vocab_)
            fail(field, id, "a token below " + std::to_string(vocab_));
    }

    void token_or_none(const std::string& field, std::uint32_t id) const
    {
        if (id != LEVEE_NO_TOKEN)
            token(field, id);
    }

    void flags(const std::string& field, std::uint32_t flags, std::uint32_t all) const
    {
        if ((flags & ~all) != 0)
            fail(field, flags, "flags up to " + std::to_string(all));
    }

    /// Converts a number to a kind. Throws for a number that is no kind.
    levee_text_step_kind kind(const std::string& field, std::uint32_t number) const
    {
        if (number < LEVEE_STEP_NFC || number > LEVEE_STEP_MAP_GRAPHEMES)
            fail(field + ".kind", number, "1 to " + std::to_string(LEVEE_STEP_MAP_GRAPHEMES));
        return static_cast<levee_text_step_kind>(number);
    }

    void text(const std::string& field, const TextStep& step) const
    {
        if (step.kind >= LEVEE_STEP_PREPEND && step.kind < LEVEE_STEP_STRIP_LEFT &&
            step.text.empty())
            fail(field + ".text", 0, "a text that is not empty");
    }

    [[noreturn]] void fail(const std::string& field, std::size_t found,
                           const std::string& expected) const
    {
        throw ModelError(source_ + ": tokenizer." + field + ": " + std::to_string(found) +
                         ", expected " + expected);
    }

private:
    std::uint32_t vocab_;
    const std::string& source_;
};

std::string numbered(const char* what, std::size_t number)
{
    return std::string(what) + "[" + std::to_string(number) + "]";
}

/// Reads numbers and structures from the bytes, one after another.
class RulesReader {
public:
    RulesReader(std::span<const std::uint8_t> bytes, const std::string& source)
        : bytes_(bytes), source_(source)
    {
    }

    template <typename T> T take()
    {
        T value;
        std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
        return value;
    }

    template <typename T> std::vector<T> take_all(std::uint64_t count)
    {
        const auto raw = take_bytes(count * sizeof(T));
        std::vector<T> values(count);
        if (count != 0)
            std::memcpy(values.data(), raw.data(), raw.size());
        return values;
    }

    std::span<const std::uint8_t> take_bytes(std::uint64_t count)
    {
        if (count > bytes_.size())
            throw ModelError(source_ + ": tokenizer.rules: " + std::to_string(bytes_.size()) +
                             " bytes left, expected " + std::to_string(count));
        const auto taken = bytes_.first(count);
        bytes_ = bytes_.subspan(count);
        return taken;
    }

    std::size_t left() const { return bytes_.size(); }

private:
    std::span<const std::uint8_t> bytes_;
    const std::string& source_;
};

std::string text_in(std::span<const std::uint8_t> texts, std::uint32_t offset, std::uint32_t bytes,
                    const std::string& source)
{
    if (offset > texts.size() || bytes > texts.size() - offset)
        throw ModelError(source + ": tokenizer.rules: a text of " + std::to_string(bytes) +
                         " bytes from " + std::to_string(offset) + ", expected one within " +
                         std::to_string(texts.size()));
    const auto text = texts.subspan(offset, bytes);
    return {text.begin(), text.end()};
}

std::uint32_t add_rule_text(std::string& texts, const std::string& text)
{
    const auto offset = static_cast<std::uint32_t>(texts.size());
    texts += text;
    return offset;
}

levee_text_step step_entry(const TextStep& step, std::string& texts)
{
    return {static_cast<std::uint32_t>(step.kind), add_rule_text(texts, step.text),
            static_cast<std::uint32_t>(step.text.size()), add_rule_text(texts, step.with),
            static_cast<std::uint32_t>(step.with.size())};
}

} // namespace

void check_rules(const TokenizerRules& rules, std::uint32_t vocab, const std::string& source)
{
    const RulesChecker check(vocab, source);
    check.flags("flags", rules.flags, all_tokenizer_flags);
    constexpr std::uint32_t merging = LEVEE_TOKENIZER_BYTE_LEVEL | LEVEE_TOKENIZER_BY_SCORE;
    if ((rules.flags & LEVEE_TOKENIZER_UNIGRAM) != 0 && (rules.flags & merging) != 0)
        check.fail("flags", rules.flags, "UNIGRAM (64) without BYTE_LEVEL (1) and BY_SCORE (16)");
    check.token_or_none("unknown", rules.unknown);
    if (rules.merges.size() > most_merges)
        check.fail("merges", rules.merges.size(), "at most " + std::to_string(most_merges));
    for (std::size_t i = 0; i < rules.merges.size(); ++i) {
        check.token(numbered("merges", i), rules.merges[i].left);
        check.token(numbered("merges", i), rules.merges[i].right);
        check.token(numbered("merges", i), rules.merges[i].result);
    }
    const bool needs_bytes = (rules.flags & LEVEE_TOKENIZER_BYTE_LEVEL) != 0;
    if (rules.byte_tokens.size() != all_bytes && (needs_bytes || !rules.byte_tokens.empty()))
        check.fail("byte_tokens", rules.byte_tokens.size(), std::to_string(all_bytes));
    for (std::size_t i = 0; i < rules.byte_tokens.size(); ++i)
        check.token_or_none(numbered("byte_tokens", i), rules.byte_tokens[i]);
    for (std::size_t i = 0; i < rules.added.size(); ++i) {
        check.token(numbered("added", i), rules.added[i].id);
        check.flags(numbered("added", i) + ".flags", rules.added[i].flags, all_added_flags);
        if (rules.added[i].text.empty())
            check.fail(numbered("added", i) + ".text", 0, "a text that is not empty");
    }
    for (std::size_t i = 0; i < rules.normalizers.size(); ++i)
        check.text(numbered("normalizers", i), rules.normalizers[i]);
    for (std::size_t i = 0; i < rules.splits.size(); ++i)
        check.text(numbered("splits", i), rules.splits[i]);
}

std::vector<std::uint8_t> serialize_rules(const TokenizerRules& rules)
{
    std::string texts;
    std::vector<std::uint8_t> added;
    for (const AddedToken& token : rules.added)
        append_object(added,
                      levee_added_token{token.id, token.flags, add_rule_text(texts, token.text),
                                        static_cast<std::uint32_t>(token.text.size())});
    std::vector<std::uint8_t> steps;
    for (const auto* list : {&rules.normalizers, &rules.splits})
        for (const TextStep& step : *list)
            append_object(steps, step_entry(step, texts));
    const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
    std::vector<std::uint8_t> bytes;
    append_object(bytes, levee_tokenizer_rules{rules.flags, rules.unknown, count(rules.merges),
                                               count(rules.byte_tokens), count(rules.added),
                                               count(rules.normalizers) + count(rules.splits),
                                               count(rules.normalizers), count(texts)});
    for (const levee_token_merge& merge : rules.merges)
        append_object(bytes, merge);
    for (const std::uint32_t id : rules.byte_tokens)
        append_object(bytes, id);
    bytes.insert(bytes.end(), added.begin(), added.end());
    bytes.insert(bytes.end(), steps.begin(), steps.end());
    bytes.insert(bytes.end(), texts.begin(), texts.end());
    return bytes;
}

TokenizerRules parse_rules(std::span<const std::uint8_t> bytes, std::uint32_t vocab,
                           const std::string& source)
{
    const RulesChecker check(vocab, source);
    RulesReader reader(bytes, source);
    const auto header = reader.take<levee_tokenizer_rules>();
    TokenizerRules rules;
    rules.flags = header.flags;
    rules.unknown = header.unknown;
    rules.merges = reader.take_all<levee_token_merge>(header.merge_count);
    rules.byte_tokens = reader.take_all<std::uint32_t>(header.byte_count);
    const auto added = reader.take_all<levee_added_token>(header.added_count);
    const auto steps = reader.take_all<levee_text_step>(header.step_count);
    const auto texts = reader.take_bytes(header.text_bytes);
    if (reader.left() != 0)
        throw ModelError(source + ": tokenizer.rules: " + std::to_string(reader.left()) +
                         " bytes after the rules, expected none");
    for (const levee_added_token& token : added)
        rules.added.push_back(
            {token.id, text_in(texts, token.offset, token.bytes, source), token.flags});
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const bool normalizes = i < header.normalizer_count;
        auto& list = normalizes ? rules.normalizers : rules.splits;
        const std::string field = numbered(normalizes ? "normalizers" : "splits", list.size());
        list.push_back({check.kind(field, steps[i].kind),
                        text_in(texts, steps[i].text_offset, steps[i].text_bytes, source),
                        text_in(texts, steps[i].with_offset, steps[i].with_bytes, source)});
    }
    check_rules(rules, vocab, source);
    return rules;
}

} // namespace levee
