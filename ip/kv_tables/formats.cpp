// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/formats.hpp"

#include <algorithm>
#include <functional>

namespace levee::kv_tables {

namespace {

using Reason = Refusal::Reason;

[[noreturn]] void contradict(const std::string& text)
{
    throw Refusal(Reason::Formats, text);
}

void check_sizes(const Entry& entry)
{
    const Formats& formats = *entry.formats;
    bool good =
        formats.holders.size() >= formats.rows && formats.x_positions.size() >= formats.rows;
    for (const Head& head : entry.heads)
        good = good && head.slot_of.size() >= formats.rows;
    if (!good)
        throw Refusal(Reason::Size, "a table of input rows is too short");
}

/// Stores the arriving token in input row `current` for all heads, if a row is free.
void store_arrival(Entry& entry, const Arrival& arrival)
{
    Formats& formats = *entry.formats;
    const std::uint32_t row = formats.current;
    if (row != none && (row >= formats.rows || formats.holders[row] != 0))
        contradict("the current input row is not a free one");
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        Head& head = entry.heads[o1];
        const std::uint32_t slot = arrival.slots[o1];
        head.redirect[slot] = row;
        if (row == none)
            continue;
        ++formats.holders[row];
        head.slot_of[row] = slot;
    }
    if (row != none)
        formats.x_positions[row] = arrival.position;
}

void release_victim(Entry& entry, std::size_t o1, Evicted& evicted)
{
    Formats& formats = *entry.formats;
    Head& head = entry.heads[o1];
    const std::uint32_t slot = evicted.heads[o1].slot;
    if (slot == none)
        return;
    const std::uint32_t row = head.redirect[slot];
    if (row == none)
        return;
    if (row >= formats.rows || formats.holders[row] == 0)
        contradict("the victim is in an input row that no head uses");
    head.slot_of[row] = none;
    if (--formats.holders[row] == 0)
        evicted.released_inputs.push_back(row);
}

/// Computes `current` and `used` from the numbers of heads that use the rows.
void find_rows(Formats& formats)
{
    formats.current = none;
    formats.used = 0;
    for (std::uint32_t row = 0; row < formats.rows; ++row) {
        if (formats.holders[row] != 0)
            formats.used = row + 1;
        else if (formats.current == none)
            formats.current = row;
    }
}

struct Token {
    std::uint32_t position;
    std::uint32_t heads; ///< Number of heads that store the token.
};

/// Returns the tokens that POPULAR stores in input rows, ordered by position.
std::vector<Token> popular_tokens(const Entry& entry)
{
    std::vector<std::uint32_t> positions;
    for (const Head& head : entry.heads)
        positions.insert(positions.end(), head.positions.begin(),
                         head.positions.begin() + head.next);
    std::sort(positions.begin(), positions.end());
    std::vector<Token> tokens;
    for (auto at = positions.begin(); at != positions.end();) {
        const auto end = std::upper_bound(at, positions.end(), *at);
        const auto heads = static_cast<std::uint32_t>(end - at);
        if (2 * std::size_t{heads} > entry.heads.size())
            tokens.push_back({*at, heads});
        at = end;
    }
    std::stable_sort(tokens.begin(), tokens.end(),
                     [](const Token& a, const Token& b) { return a.heads > b.heads; });
    tokens.resize(std::min<std::size_t>(tokens.size(), entry.formats->rows));
    std::sort(tokens.begin(), tokens.end(),
              [](const Token& a, const Token& b) { return a.position < b.position; });
    return tokens;
}

/// Writes one head's tables for the tokens that POPULAR stores as inputs.
void store_popular(Head& head, const std::vector<Token>& tokens, const Formats& formats)
{
    head.slot_of.assign(formats.rows, none);
    head.redirect.resize(std::max<std::size_t>(head.redirect.size(), head.next + 1u));
    for (std::uint32_t slot = 0; slot < head.next; ++slot) {
        const std::uint32_t position = head.positions[slot];
        const auto token =
            std::lower_bound(tokens.begin(), tokens.end(), position,
                             [](const Token& a, std::uint32_t at) { return a.position < at; });
        head.redirect[slot] = none;
        if (token == tokens.end() || token->position != position)
            continue;
        const auto row = static_cast<std::uint32_t>(token - tokens.begin());
        head.redirect[slot] = row;
        head.slot_of[row] = slot;
        head.gather[slot] = none;
    }
    head.redirect[head.next] = formats.arrival_row;
}

} // namespace

void update_formats(Entry& entry, const Arrival& arrival, Evicted& evicted)
{
    if (!entry.formats)
        return;
    check_sizes(entry);
    for (Head& head : entry.heads)
        head.redirect.resize(std::max<std::size_t>(head.redirect.size(), arrival.length + 1u),
                             none);
    store_arrival(entry, arrival);
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        release_victim(entry, o1, evicted);
        entry.heads[o1].redirect[entry.heads[o1].next] = entry.formats->arrival_row;
    }
    find_rows(*entry.formats);
}

void popular(Entry& entry)
{
    if (!entry.formats)
        throw Refusal(Reason::Formats, "there are no formats");
    for (const Head& head : entry.heads) {
        if (head.positions.size() < head.next || head.gather.size() < head.next)
            throw Refusal(Reason::Size, "fewer positions than kept tokens");
        const auto kept = std::span(head.positions).first(head.next);
        if (std::ranges::adjacent_find(kept, std::greater_equal()) != kept.end())
            throw Refusal(Reason::Positions, "kept tokens are not in order of position");
    }
    Formats& formats = *entry.formats;
    const std::vector<Token> tokens = popular_tokens(entry);
    formats.holders.assign(formats.rows, 0);
    formats.x_positions.assign(formats.rows, 0);
    formats.x_gather.assign(formats.rows, none);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        formats.holders[row] = tokens[row].heads;
        formats.x_positions[row] = formats.x_gather[row] = tokens[row].position;
    }
    for (Head& head : entry.heads)
        store_popular(head, tokens, formats);
    find_rows(formats);
}

} // namespace levee::kv_tables
