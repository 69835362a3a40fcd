// SPDX-License-Identifier: Apache-2.0
#include "platform/input/model/rule_encoder.hpp"

#include "platform/input/model/bpe.hpp"
#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/pieces.hpp"

#include <algorithm>
#include <array>

namespace levee {

namespace {

std::uint64_t pair_of(std::uint32_t left, std::uint32_t right)
{
    return std::uint64_t{left} << 32 | right;
}

std::string hex_bytes(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string hex;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        hex += std::string(" 0x") + digits[byte / 16] + digits[byte % 16];
    }
    return hex;
}

} // namespace

RuleEncoder::RuleEncoder(std::span<const Token> tokens, const TokenizerRules& rules,
                         const std::string& source)
    : rules_(rules), steps_(rules, source), raw_(source), normalized_(source), written_(source)
{
    check_rules(rules, static_cast<std::uint32_t>(tokens.size()), source);
    std::uint32_t rank = 0;
    for (const levee_token_merge& merge : rules.merges)
        merges_[pair_of(merge.left, merge.right)] = {rank++, merge.result};
    add_tokens(tokens);
    std::size_t bytes = 0;
    for (const AddedToken& token : rules.added)
        bytes += token.text.size();
    TextWork work(bytes);
    for (std::size_t i = 0; i < rules.added.size(); ++i) {
        AddedToken token = rules.added[i];
        written_.add(token);
        const bool normalized = (token.flags & LEVEE_ADDED_NORMALIZED) != 0;
        if (normalized)
            token.text = steps_.normalize(token.text, work);
        if (token.text.empty())
            throw ModelError(
                source + ": tokenizer.added[" + std::to_string(i) + "]: token " +
                std::to_string(token.id) +
                " is empty after normalization, expected a text that keeps some characters");
        (normalized ? normalized_ : raw_).add(token);
    }
}

void RuleEncoder::add_tokens(std::span<const Token> tokens)
{
    std::vector<bool> apart(tokens.size()); // tokens that no piece of text matches: added tokens,
                                            // the unknown token, and byte tokens
    for (const AddedToken& token : rules_.added)
        apart[token.id] = true;
    if (rules_.unknown != LEVEE_NO_TOKEN)
        apart[rules_.unknown] = true;
    if (!has(LEVEE_TOKENIZER_BYTE_LEVEL))
        for (const std::uint32_t id : rules_.byte_tokens)
            if (id != LEVEE_NO_TOKEN)
                apart[id] = true;
    for (std::uint32_t id = 0; id < tokens.size(); ++id)
        if (!apart[id] && !tokens[id].text.empty())
            ids_.emplace(tokens[id].text, id);
    if ((rules_.flags & LEVEE_TOKENIZER_UNIGRAM) != 0)
        unigram_.emplace(tokens, apart);
}

std::optional<std::uint32_t> RuleEncoder::added(std::string_view text) const
{
    const std::optional<AddedToken> token = written_.find(text);
    return token ? std::optional(token->id) : std::nullopt;
}

std::vector<RuleEncoder::Part> RuleEncoder::take_added(const Part& whole, const Finder& find,
                                                       TextWork& work)
{
    std::vector<Part> parts;
    const std::string_view text = whole.text;
    std::size_t taken = 0;
    const auto take_text = [&](std::size_t end) {
        if (end > taken)
            parts.push_back({std::string(text.substr(taken, end - taken)), std::nullopt,
                             whole.begins && taken == 0});
    };
    for (std::size_t at = 0; at < text.size();) {
        const auto token = find(text, at, work);
        if (!token) {
            ++at;
            continue;
        }
        const std::string_view before = text.substr(taken, at - taken);
        std::size_t end = at + token->text.size();
        if ((token->flags & LEVEE_ADDED_RIGHT) != 0)
            end += leading_space(text.substr(end));
        take_text((token->flags & LEVEE_ADDED_LEFT) != 0 ? at - trailing_space(before) : at);
        parts.push_back({token->text, token, false});
        taken = at = end;
    }
    take_text(text.size());
    return parts;
}

std::vector<std::uint32_t> RuleEncoder::encode(std::string_view text,
                                               std::span<const Token> tokens) const
{
    const auto finder = [](const AddedTokens& added) {
        return [&added](std::string_view whole, std::size_t at, TextWork& work) {
            return added.longest(whole.substr(at), work, [](const AddedToken&) { return true; });
        };
    };
    return encode(std::string(text), finder(raw_), finder(normalized_), tokens);
}

std::vector<std::uint32_t> RuleEncoder::encode(std::span<const TextPart> parts,
                                               std::span<const std::uint32_t> markers,
                                               std::span<const Token> tokens) const
{
    std::string text;
    std::vector<std::pair<std::size_t, std::size_t>> plain; // begin and end of each part, in
                                                            // ascending order
    for (const TextPart& part : parts) {
        if (part.plain)
            plain.emplace_back(text.size(), text.size() + part.text.size());
        text += part.text;
    }
    const auto steers = [&](const AddedToken& token) {
        return (token.flags & LEVEE_ADDED_SPECIAL) != 0 ||
               std::ranges::find(markers, token.id) != markers.end();
    };
    const auto is_plain = [&](std::size_t begin, std::size_t end) {
        const auto next =
            std::ranges::upper_bound(plain, begin, {}, [](auto& p) { return p.second; });
        return next != plain.end() && next->first < end;
    };
    const Finder raw = [&](std::string_view whole, std::size_t at, TextWork& work) {
        return written_.longest(whole.substr(at), work, [&](const AddedToken& token) {
            return steers(token) ? !is_plain(at, at + token.text.size())
                                 : (token.flags & LEVEE_ADDED_NORMALIZED) == 0;
        });
    };
    const Finder normalized = [&](std::string_view whole, std::size_t at, TextWork& work) {
        return normalized_.longest(whole.substr(at), work,
                                   [&](const AddedToken& token) { return !steers(token); });
    };
    return encode(text, raw, normalized, tokens);
}

std::vector<std::uint32_t> RuleEncoder::encode(const std::string& text, const Finder& raw,
                                               const Finder& normalized,
                                               std::span<const Token> tokens) const
{
    std::vector<std::uint32_t> ids;
    TextWork work(text.size());
    for (Part& part : take_added({text, std::nullopt, true}, raw, work)) {
        if (part.token) {
            ids.push_back(part.token->id);
            continue;
        }
        part.text = steps_.normalize(part.text, work);
        for (const Part& inner : take_added(part, normalized, work)) {
            if (inner.token)
                ids.push_back(inner.token->id);
            else
                for (const std::string& piece : steps_.split(inner.text, inner.begins, work))
                    append_piece(piece, tokens, work, ids);
        }
    }
    return ids;
}

void RuleEncoder::append_piece(std::string piece, std::span<const Token> tokens, TextWork& work,
                               std::vector<std::uint32_t>& ids) const
{
    if (has(LEVEE_TOKENIZER_BLANK_SYMBOLS))
        piece = with_blanks(std::move(piece));
    if (has(LEVEE_TOKENIZER_WHOLE_PIECES)) {
        if (const auto whole = ids_.find(piece); whole != ids_.end()) {
            ids.push_back(whole->second);
            return;
        }
    }
    if (unigram_) {
        const std::vector<std::uint32_t> best = segments(piece, work);
        ids.insert(ids.end(), best.begin(), best.end());
        return;
    }
    const auto by_rank = [&](std::uint32_t left, std::uint32_t right) -> std::optional<Merge> {
        const auto found = merges_.find(pair_of(left, right));
        if (found == merges_.end())
            return std::nullopt;
        return Merge{found->second.result, -static_cast<float>(found->second.rank)};
    };
    const auto by_score = [&](std::uint32_t left, std::uint32_t right) -> std::optional<Merge> {
        if (left == rules_.unknown || right == rules_.unknown)
            return std::nullopt;
        const auto found = ids_.find(tokens[left].text + tokens[right].text);
        if (found == ids_.end())
            return std::nullopt;
        return Merge{found->second, tokens[found->second].score};
    };
    const auto merged = has(LEVEE_TOKENIZER_BY_SCORE) ? merge_pairs(units(piece), by_score)
                                                      : merge_pairs(units(piece), by_rank);
    ids.insert(ids.end(), merged.begin(), merged.end());
}

std::vector<std::uint32_t> RuleEncoder::segments(const std::string& piece, TextWork& work) const
{
    std::vector<std::uint32_t> ids;
    for (const Unigram::Part& part : unigram_->best(piece, work))
        if (part.id)
            ids.push_back(*part.id);
        else
            append_character(piece.substr(part.begin, part.end - part.begin), part.begin, ids);
    return ids;
}

std::vector<std::uint32_t> RuleEncoder::units(const std::string& piece) const
{
    std::vector<std::uint32_t> ids;
    if (!has(LEVEE_TOKENIZER_BYTE_LEVEL)) {
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t bytes = character_at(std::string_view(piece).substr(at));
            append_character(piece.substr(at, std::max<std::size_t>(bytes, 1)), at, ids);
            at += std::max<std::size_t>(bytes, 1);
        }
        return ids;
    }
    for (std::size_t at = 0; at < piece.size(); ++at) {
        const std::uint32_t id = rules_.byte_tokens[static_cast<unsigned char>(piece[at])];
        if (id == LEVEE_NO_TOKEN)
            append_unknown(piece.substr(at, 1), at, ids);
        else
            ids.push_back(id);
    }
    return ids;
}

void RuleEncoder::append_character(const std::string& character, std::size_t at,
                                   std::vector<std::uint32_t>& ids) const
{
    if (const auto found = ids_.find(character); found != ids_.end()) {
        ids.push_back(found->second);
        return;
    }
    const auto token_of = [&](char c) { return rules_.byte_tokens[static_cast<unsigned char>(c)]; };
    const std::string bytes =
        has(LEVEE_TOKENIZER_BLANK_SYMBOLS) ? with_symbols(character) : character;
    const bool has_all = !rules_.byte_tokens.empty() &&
                         std::all_of(bytes.begin(), bytes.end(),
                                     [&](char c) { return token_of(c) != LEVEE_NO_TOKEN; });
    if (!has_all) {
        append_unknown(character, at, ids);
        return;
    }
    for (const char c : bytes)
        ids.push_back(token_of(c));
}

void RuleEncoder::append_unknown(const std::string& what, std::size_t at,
                                 std::vector<std::uint32_t>& ids) const
{
    if (rules_.unknown == LEVEE_NO_TOKEN)
        throw ModelError(
            "no token for" + hex_bytes(what) + " at byte " + std::to_string(at) +
            " of a piece of the text, and the tokenizer has no token for unknown text");
    const bool follows = !ids.empty() && ids.back() == rules_.unknown;
    if (!has(LEVEE_TOKENIZER_FUSE_UNKNOWN) || !follows)
        ids.push_back(rules_.unknown);
}

} // namespace levee
