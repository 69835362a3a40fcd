// SPDX-License-Identifier: Apache-2.0
// Tests tokens that are stored as layer inputs: popular tokens, and that a token keeps its format
// until the last head evicts it.
#include "core/numerics/numerics.hpp"
#include "ip/kv_tables/model.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace {

using namespace levee;
using namespace levee::kv_tables;

using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t transient_row = 99;

Entry kept_by(const std::vector<Words>& heads, std::uint32_t rows)
{
    Entry entry;
    entry.formats.emplace();
    entry.formats->rows = rows;
    entry.formats->arrival_row = transient_row;
    for (const Words& positions : heads) {
        Head& head = entry.heads.emplace_back();
        head.positions = head.gather = positions;
        head.importance.assign(positions.size(), 0);
        head.next = static_cast<std::uint32_t>(positions.size());
    }
    return entry;
}

/// Returns the number of words in the sequence's cache. An input has `width` words, the model
/// width. A key or value has `width` words divided by the number of heads.
std::size_t words_stored(const Entry& entry, std::size_t width)
{
    std::size_t words = 0;
    for (const std::uint32_t holders : entry.formats->holders)
        words += holders != 0 ? width : 0;
    for (const Head& head : entry.heads)
        for (std::uint32_t slot = 0; slot < head.next; ++slot)
            words += head.redirect[slot] == none ? 2 * width / entry.heads.size() : 0;
    return words;
}

/// Decodes a step in which slot `victims[o1]` is the least important one of head o1.
Evicted evict_slots(Entry& entry, std::uint32_t position, const Words& victims)
{
    const auto length = static_cast<std::uint32_t>(entry.heads[0].positions.size());
    const std::uint32_t slots =
        std::max(length, *std::max_element(victims.begin(), victims.end()) + 1);
    Arrival arrival{position, std::max(slots, entry.heads[0].next + 1), {}, {}};
    const Policy policy{arrival.length - 1, 0, 1, LEVEE_SE_SOFTMAX, 0, false, 0};
    std::vector<std::vector<float>> scores;
    for (std::size_t o1 = 0; o1 < entry.heads.size(); ++o1) {
        Head& head = entry.heads[o1];
        head.importance.assign(arrival.length, 100);
        head.importance[victims[o1]] = 1;
        arrival.slots.push_back(head.next);
        arrival.scores.push_back({});
    }
    return evict(policy, entry, arrival);
}

} // namespace

TEST_CASE(
    "tokens that more than half of the heads keep are stored as inputs, the widest kept first")
{
    Entry entry = kept_by({{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 2, 4, 6}}, 3);
    popular(entry); // Three heads keep token 0, and two keep 1, 2 and 4.
    const Formats& formats = *entry.formats;
    CHECK(formats.holders == Words{3, 2, 2});
    CHECK(formats.x_positions == Words{0, 1, 2});
    CHECK(formats.x_gather == Words{0, 1, 2});
    CHECK(formats.current == none);
    CHECK(formats.used == 3);
    CHECK(entry.heads[0].redirect == Words{0, 1, 2, none, transient_row});
    CHECK(entry.heads[1].redirect == Words{0, 1, none, none, transient_row});
    CHECK(entry.heads[2].redirect == Words{0, 2, none, none, transient_row});
    CHECK(entry.heads[0].slot_of == Words{0, 1, 2});
    CHECK(entry.heads[1].slot_of == Words{0, 1, none});
    CHECK(entry.heads[2].slot_of == Words{0, none, 1});
    CHECK(entry.heads[0].gather == Words{none, none, none, 3});
    CHECK(entry.heads[2].gather == Words{none, none, 4, 6});
}

TEST_CASE("tokens kept by exactly half of the heads are not popular, and free rows are reported")
{
    Entry entry = kept_by({{0, 1}, {0, 1}, {2, 3}, {0, 4}}, 3);
    popular(entry);
    CHECK(entry.formats->holders == Words{3, 0, 0});
    CHECK(entry.formats->x_gather == Words{0, none, none});
    CHECK(entry.formats->current == 1);
    CHECK(entry.formats->used == 1);
    CHECK(entry.heads[2].slot_of == Words{none, none, none});
}

TEST_CASE("input rows are in order of position, however many heads keep them")
{
    Entry entry = kept_by({{1, 5, 7}, {1, 5, 7}, {2, 5, 7}}, 2);
    popular(entry); // Three heads keep tokens 5 and 7, two keep token 1.
    CHECK(entry.formats->x_positions == Words{5, 7});
    CHECK(entry.formats->holders == Words{3, 3});
}

TEST_CASE("an input of C words replaces 2C/H words for each head that keeps the token")
{
    constexpr std::size_t width = 96;
    Entry entry = kept_by({{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 2, 4, 6}}, 3);
    popular(entry);
    CHECK(words_stored(entry, width) == 3 * width + 5 * 2 * width / 3);
    Entry without = kept_by({{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 2, 4, 6}}, 3);
    without.formats->rows = 0;
    popular(without);
    CHECK(words_stored(without, width) == 12 * 2 * width / 3);
}

TEST_CASE("an arriving token takes the current row in all heads")
{
    Entry entry = kept_by({{0, 1}, {2, 3}}, 2);
    popular(entry);
    CHECK(entry.formats->current == 0);
    const Evicted first = evict_slots(entry, 7, {0, 1});
    CHECK(entry.formats->holders == Words{2, 0});
    CHECK(entry.formats->x_positions[0] == 7);
    CHECK(entry.formats->current == 1);
    CHECK(entry.formats->used == 1);
    CHECK(entry.heads[0].slot_of[0] == 2);
    CHECK(entry.heads[0].redirect == Words{transient_row, none, 0, none});
    CHECK(entry.heads[1].redirect == Words{none, transient_row, 0, none});
    CHECK(first.released_inputs.empty());
    evict_slots(entry, 8, {1, 0});
    CHECK(entry.formats->current == none);
    const Evicted third = evict_slots(entry, 9, {0, 1}); // Token 8 is in these slots.
    CHECK(entry.heads[0].redirect[1] == none);           // Token 9 found no free row.
    CHECK(third.released_inputs == Words{1});
    CHECK(entry.formats->current == 1);
}

TEST_CASE("the slots of the victim and of a token stored as an input are discarded, once each")
{
    Policy policy;
    policy.capacity = 4;
    CHECK(discarded_slots(policy, 4, 4, {}).empty()); // There is no victim.
    CHECK(discarded_slots(policy, 4, 4, 3) == Words{3});
    CHECK(discarded_slots(policy, 5, 2, {}) == Words{2});
    CHECK(discarded_slots(policy, 5, 2, 4) == Words{2, 4});
    CHECK(discarded_slots(policy, 5, 2, 2) == Words{2}); // This is the token that has just arrived.
}

TEST_CASE("a row is in use until the last head has evicted its token")
{
    Entry entry = kept_by({{0, 1, 2}, {0, 3, 4}, {0, 5, 6}}, 1);
    popular(entry);
    CHECK(entry.formats->holders == Words{3});
    Evicted evicted = evict_slots(entry, 7, {0, 1, 1});
    CHECK(entry.formats->holders == Words{2});
    CHECK(entry.heads[0].slot_of == Words{none});
    CHECK(entry.formats->current == none);
    CHECK(evicted.released_inputs.empty());
    evicted = evict_slots(entry, 8, {1, 0, 2});
    CHECK(entry.formats->holders == Words{1});
    // One of three heads keeps it, and it is still stored as an input.
    CHECK(entry.heads[2].redirect[0] == 0);
    CHECK(evicted.released_inputs.empty());
    evicted = evict_slots(entry, 9, {2, 2, 0});
    CHECK(entry.formats->holders == Words{0});
    CHECK(evicted.released_inputs == Words{0});
    CHECK(entry.formats->current == 0);
    CHECK(entry.formats->used == 0);
}

namespace {

/// Checks that a sequence's tables agree, and that no token has changed its format. `is_input` has
/// the formats seen so far, by position.
void check_formats(const Entry& entry, std::map<std::uint32_t, bool>& is_input)
{
    const Formats& formats = *entry.formats;
    Words holders(formats.rows), named(formats.rows);
    for (const Head& head : entry.heads) {
        for (std::uint32_t slot = 0; slot < head.positions.size(); ++slot) {
            if (slot == head.next)
                continue;
            const std::uint32_t row = head.redirect[slot];
            CHECK(is_input.emplace(head.positions[slot], row != none).first->second ==
                  (row != none));
            if (row == none)
                continue;
            ++holders[row];
            CHECK(head.slot_of[row] == slot);
            CHECK(formats.x_positions[row] == head.positions[slot]);
        }
        for (std::uint32_t row = 0; row < formats.rows; ++row)
            named[row] += head.slot_of[row] != none ? 1 : 0;
    }
    CHECK(holders == formats.holders);
    CHECK(named == holders);
}

} // namespace

TEST_CASE("over random runs a token keeps its format in every head, and the tables agree")
{
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        auto draw = [&, drawn = std::uint64_t{0}](std::uint32_t below) mutable {
            return random_word(seed, 5, drawn++) % below;
        };
        const std::size_t heads = 1 + draw(5);
        const std::uint32_t capacity = 6 + draw(20);
        const Policy policy{capacity, 1, 2, LEVEE_SE_SOFTMAX, 0, false, 0};
        Entry entry;
        entry.heads.resize(heads);
        entry.formats.emplace();
        entry.formats->rows = 1 + draw(8);
        std::vector<std::vector<std::uint16_t>> sums(heads,
                                                     std::vector<std::uint16_t>(2 * capacity));
        for (auto& head : sums)
            for (std::uint16_t& sum : head)
                sum = static_cast<std::uint16_t>(draw(1000));
        select(policy, entry,
               std::vector<std::span<const std::uint16_t>>(sums.begin(), sums.end()));
        popular(entry);
        INFO("seed " << seed);
        // For each token's position: whether its layer input is stored instead of key and value.
        std::map<std::uint32_t, bool> is_input;
        for (std::uint32_t t = 2 * capacity; t < 2 * capacity + 150; ++t) {
            check_formats(entry, is_input);
            Arrival arrival{t, capacity + 1, {}, {}};
            std::vector<std::vector<float>> scores(heads);
            for (std::size_t o1 = 0; o1 < heads; ++o1) {
                for (std::uint32_t i = 0; i <= capacity; ++i)
                    scores[o1].push_back(static_cast<float>(draw(100)) * 0.0001f);
                arrival.slots.push_back(entry.heads[o1].next);
                arrival.scores.push_back({scores[o1], capacity + 1, 1, 1});
            }
            evict(policy, entry, arrival);
        }
        const auto inputs = std::count_if(is_input.begin(), is_input.end(),
                                          [](const auto& token) { return token.second; });
        CHECK(inputs > 0);
    }
}

TEST_CASE("tables of inputs that contradict each other are refused")
{
    const auto reason = [](auto damage) {
        Entry entry = kept_by({{0, 1}, {0, 3}}, 2);
        popular(entry);
        damage(entry);
        try {
            evict_slots(entry, 7, {0, 0});
        } catch (const Refusal& refusal) {
            return static_cast<int>(refusal.reason);
        }
        return -1;
    };
    const auto formats = static_cast<int>(Refusal::Reason::Formats);
    const auto size = static_cast<int>(Refusal::Reason::Size);
    CHECK(reason([](Entry&) {}) == -1);
    CHECK(reason([](Entry& e) { e.formats->current = 0; }) == formats);
    CHECK(reason([](Entry& e) { e.formats->current = 2; }) == formats);
    CHECK(reason([](Entry& e) { e.formats->holders[0] = 1; }) == formats);
    CHECK(reason([](Entry& e) { e.heads[0].redirect[0] = 5; }) == formats);
    CHECK(reason([](Entry& e) { e.formats->holders.clear(); }) == size);
    CHECK(reason([](Entry& e) { e.heads[1].slot_of.clear(); }) == size);
}
