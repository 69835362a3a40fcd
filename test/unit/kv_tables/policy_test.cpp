// SPDX-License-Identifier: Apache-2.0
// Compares victims and kept tokens with hand-worked traces, and with a naive evaluation of random
// runs.
#include "ip/kv_tables/views.hpp"
#include "test/unit/kv_tables/decode.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace {

using namespace levee;
using namespace levee::kv_tables;
using namespace levee::test;

std::vector<float> sixteenths(const std::vector<int>& counts)
{
    std::vector<float> scores;
    for (const int count : counts)
        scores.push_back(static_cast<float>(count) / 16.0f);
    return scores;
}
/// Returns a cache of four tokens in two heads.
Entry golden_entry()
{
    Entry entry;
    entry.heads.resize(2);
    entry.heads[0].importance = units({8, 5, 3, 6});
    entry.heads[1].importance = units({0, 9, 1, 2});
    for (Head& head : entry.heads) {
        head.positions = {0, 1, 2, 3};
        head.next = 4;
    }
    return entry;
}

} // namespace

TEST_CASE("the golden eviction trace of two heads, worked by hand")
{
    const Policy policy{4, 1, 2, LEVEE_SE_SOFTMAX, 0, false, 0};
    Entry entry = golden_entry();
    struct Step {
        std::vector<int> scores[2];
        std::uint32_t victim[2];
        std::vector<int> importance[2];
    };
    // In head 0 at t = 4, the importances of positions 0 to 4 are 12, 6, 7, 8 and 5, and only
    // positions 1 and 2 may be evicted.
    const Step steps[] = {
        {{{4, 1, 4, 2, 5}, {0, 0, 0, 0, 1}}, {1, 2}, {{12, 6, 7, 8, 5}, {0, 9, 1, 2, 1}}},
        {{{1, 3, 0, 1, 2}, {0, 0, 1, 0, 0}}, {2, 3}, {{13, 3, 7, 9, 7}, {0, 9, 1, 2, 1}}},
        {{{1, 1, 2, 0, 0}, {0, 0, 0, 8, 0}}, {4, 4}, {{14, 4, 2, 9, 7}, {0, 9, 1, 8, 1}}},
        {{{0, 6, 1, 0, 3}, {0, 0, 0, 0, 0}}, {3, 2}, {{14, 10, 3, 9, 3}, {0, 9, 1, 8, 0}}},
        {{{0, 0, 7, 2, 4}, {0, 0, 3, 0, 0}}, {1, 3}, {{14, 10, 10, 2, 7}, {0, 9, 3, 8, 0}}},
    };
    std::uint32_t t = 4;
    for (const Step& golden : steps) {
        INFO("t = " << t);
        const std::uint32_t arrived[] = {entry.heads[0].next, entry.heads[1].next};
        const Evicted evicted =
            step(policy, entry, t, 5, {sixteenths(golden.scores[0]), sixteenths(golden.scores[1])});
        for (std::size_t o1 = 0; o1 < 2; ++o1) {
            const Head& head = entry.heads[o1];
            CHECK(evicted.heads[o1].slot == golden.victim[o1]);
            CHECK(evicted.heads[o1].least == head.importance[golden.victim[o1]]);
            CHECK(head.next == golden.victim[o1]);
            CHECK(head.positions[arrived[o1]] == t);
            CHECK(head.importance == units(golden.importance[o1]));
        }
        ++t;
    }
}

TEST_CASE("no token is evicted until the cache is full")
{
    Decode decode({7, 2, 3, LEVEE_SE_SOFTMAX, 0, false, 0}, 1, 1);
    for (std::uint32_t t = 0; t < 7; ++t) {
        CHECK(decode.next().heads[0].slot == none);
        CHECK(decode.entry.heads[0].next == t + 1);
    }
    CHECK(decode.next().heads[0].slot != none);
}

TEST_CASE("the kept tokens and their importance do not depend on the order of the slots")
{
    const Policy policy{40, 3, 9, LEVEE_SE_SOFTMAX, 0, false, 0};
    Decode straight(policy, 2, 5), shuffled(policy, 2, 5);
    for (int t = 0; t < 60; ++t) {
        straight.next();
        shuffled.next();
    }
    for (Head& head : shuffled.entry.heads) { // Reverses the order of all slots.
        std::reverse(head.positions.begin(), head.positions.end());
        std::reverse(head.importance.begin(), head.importance.end());
        head.next = 40 - head.next;
    }
    for (int t = 0; t < 200; ++t) {
        straight.next();
        shuffled.next();
        for (std::size_t o1 = 0; o1 < 2; ++o1)
            CHECK(straight.kept(o1) == shuffled.kept(o1));
    }
    CHECK(straight.kept(0) != straight.kept(1));
    CHECK(straight.entry.heads[0].positions != shuffled.entry.heads[0].positions);
}

TEST_CASE("protected tokens are never evicted, and the victim is the least important of the others")
{
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
        const auto draw = [&](std::uint64_t i, std::uint32_t below) {
            return random_word(seed, 77, i) % below;
        };
        Policy policy{0, draw(0, 12), draw(1, 30), LEVEE_SE_SOFTMAX, 0, draw(2, 3) == 0, seed};
        policy.score = draw(3, 2) == 0 ? LEVEE_SE_SOFTMAX : LEVEE_SE_LOGIT;
        policy.capacity = policy.sinks + policy.window + draw(4, 60) + (policy.window == 0 ? 1 : 0);
        INFO("seed " << seed);
        Decode decode(policy, 2, seed);
        for (std::uint32_t t = 0; t < policy.capacity + 150; ++t) {
            const Evicted evicted = decode.next();
            for (std::size_t o1 = 0; o1 < 2; ++o1) {
                const Head& head = decode.entry.heads[o1];
                const std::uint32_t victim = evicted.heads[o1].slot;
                REQUIRE((victim != none) == (t >= policy.capacity));
                if (victim == none)
                    continue;
                CHECK(head.positions[victim] >= policy.sinks);
                CHECK(head.positions[victim] + policy.window <= t);
                for (std::uint32_t slot = 0; slot < head.positions.size() && !policy.random; ++slot)
                    if (head.positions[slot] >= policy.sinks &&
                        head.positions[slot] + policy.window <= t)
                        CHECK(
                            (head.importance[slot] > head.importance[victim] ||
                             (head.importance[slot] == head.importance[victim] && slot >= victim)));
            }
        }
        // Tokens that are protected at the end are still in the cache.
        for (std::uint32_t at = 0; at < policy.sinks; ++at)
            CHECK(decode.kept(0).count(at) == 1);
        for (std::uint32_t at = 0; at < policy.window; ++at)
            CHECK(decode.kept(1).count(decode.position - 1 - at) == 1);
    }
}

TEST_CASE("if every token is protected, a full cache is an error")
{
    Decode decode({4, 3, 2, LEVEE_SE_SOFTMAX, 0, false, 0}, 1, 1);
    for (int t = 0; t < 4; ++t)
        decode.next();
    try {
        decode.next();
        FAIL("the full cache was accepted");
    } catch (const Refusal& refusal) {
        CHECK(refusal.reason == Refusal::Reason::Protected);
    }
}

TEST_CASE("the golden set of a prefill: column sums, sinks, recent tokens and the best")
{
    constexpr int x = 40; // A score beyond the row's visible tokens, which must not count.
    const std::vector<float> rows = sixteenths({16, x,  x, x, x, x, //
                                                4,  12, x, x, x, x, //
                                                8,  2,  6, x, x, x, //
                                                8,  1,  3, 4, x, x, //
                                                8,  1,  5, 1, 1, x, //
                                                9,  1,  2, 2, 1, 1});
    std::vector<std::uint16_t> sums(6);
    SECTION("at once")
    {
        accumulate(sums, {rows, 6, 1, 6}, 6, true, LEVEE_SE_SOFTMAX);
    }
    SECTION("in chunks")
    {
        const std::span<const float> all(rows);
        accumulate(sums, {all.first(18), 6, 1, 3}, 3, true, LEVEE_SE_SOFTMAX);
        accumulate(sums, {all.subspan(18), 6, 1, 3}, 6, true, LEVEE_SE_SOFTMAX);
    }
    CHECK(sums == units({53, 17, 16, 7, 2, 1}));

    Entry entry;
    entry.heads.resize(2);
    const std::vector<std::uint16_t> other = units({30, 5, 8, 8, 6, 2});
    const std::span<const std::uint16_t> both[] = {sums, other};
    select({4, 1, 1, LEVEE_SE_SOFTMAX, 0, false, 0}, entry, both);
    CHECK(entry.heads[0].positions == std::vector<std::uint32_t>{0, 1, 2, 5});
    CHECK(entry.heads[0].importance == units({53, 17, 16, 1}));
    CHECK(entry.heads[0].gather == entry.heads[0].positions);
    CHECK(entry.heads[0].next == 4);
    CHECK(entry.heads[1].positions == std::vector<std::uint32_t>{0, 2, 3, 5});
    select({3, 1, 1, LEVEE_SE_SOFTMAX, 0, false, 0}, entry, both); // Tokens 2 and 3 are equal.
    CHECK(entry.heads[1].positions == std::vector<std::uint32_t>{0, 2, 5});
    select({6, 1, 1, LEVEE_SE_SOFTMAX, 0, false, 0}, entry, both);
    CHECK(entry.heads[1].positions == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
    CHECK_THROWS_AS(select({3, 2, 2, LEVEE_SE_SOFTMAX, 0, false, 0}, entry, both), Refusal);
}

TEST_CASE("negative logits rank below positive ones when tokens are selected")
{
    Entry entry;
    entry.heads.resize(1);
    const std::vector<std::uint16_t> importance{0xFF00, 0x0001, 0x8000, 0x7FFF, 0x0000};
    const std::span<const std::uint16_t> one[] = {importance};
    select({2, 0, 0, LEVEE_SE_LOGIT, 0, false, 0}, entry, one);
    CHECK(entry.heads[0].positions == std::vector<std::uint32_t>{1, 3});
}

TEST_CASE("all query heads of a group add to their KV head, also for the arriving token")
{
    const std::vector<float> rows = sixteenths({1, 2, 3, 9, //
                                                4, 0, 1, 9, //
                                                2, 2, 2, 9});
    Entry entry;
    entry.heads.resize(1);
    entry.heads[0].importance = units({1, 1, 7});
    entry.heads[0].positions = {0, 1, 9};
    evict({8, 0, 1, LEVEE_SE_SOFTMAX, 0, false, 0}, entry, {2, 3, {2}, {{rows, 4, 3, 1}}});
    // Slot 2 keeps nothing of its former token.
    CHECK(entry.heads[0].importance == units({8, 5, 6}));

    // In a prefill, the rows of one head follow those of another. The 9s are for later tokens,
    // which a row does not see.
    std::vector<std::uint16_t> sums(2);
    const std::vector<float> causal = sixteenths({1, 9, 2, 3, //
                                                  4, 9, 5, 6});
    accumulate(sums, {causal, 2, 2, 2}, 2, true, LEVEE_SE_SOFTMAX);
    CHECK(sums == units({12, 9}));
}

TEST_CASE("importance saturates and stays saturated")
{
    std::vector<std::uint16_t> importance{0xFF00, 0x0100};
    const std::vector<float> rows{1.0f, -1.0f, 5.0f, 0.25f};
    accumulate(importance, {rows, 2, 1, 2}, 2, false, LEVEE_SE_SOFTMAX);
    CHECK(importance == std::vector<std::uint16_t>{0xFFFF, 0x1100});
}

TEST_CASE("random policies repeat with their seed, and differ between seeds and heads")
{
    const auto run = [](std::uint32_t seed) {
        Decode decode({30, 2, 5, LEVEE_SE_SOFTMAX, 0, true, seed}, 2, 3);
        std::vector<std::uint32_t> trace;
        for (int t = 0; t < 120; ++t)
            for (const Evicted::OfHead& head : decode.next().heads)
                trace.push_back(head.slot);
        return std::pair(trace, decode);
    };
    const auto [trace, decode] = run(11);
    CHECK(trace == run(11).first);
    CHECK(trace != run(12).first);
    CHECK(decode.kept(0) != decode.kept(1));

    const std::vector<std::uint16_t> importance(100);
    const std::span<const std::uint16_t> both[] = {importance, importance};
    Entry entry;
    entry.heads.resize(2);
    select({20, 2, 5, LEVEE_SE_SOFTMAX, 0, true, 11}, entry, both);
    const auto first = entry.heads[0].positions;
    CHECK(first != entry.heads[1].positions);
    CHECK(first.back() == 99);
    CHECK(first[1] == 1);
    CHECK(first[5] > 5); // The victims are not simply the earliest tokens.
    select({20, 2, 5, LEVEE_SE_SOFTMAX, 0, true, 11}, entry, both);
    CHECK(first == entry.heads[0].positions);
}

TEST_CASE("the 4-bit register file: normalised by the largest, with the upper half high")
{
    const auto views = [](std::vector<std::uint16_t> importance, std::uint32_t absent,
                          levee_se_score format = LEVEE_SE_SOFTMAX, unsigned bits = 4) {
        std::vector<std::uint8_t> result(importance.size(), 0x55);
        write_views(importance, absent, format, bits, result);
        return result;
    };
    using Views = std::vector<std::uint8_t>;
    CHECK(views({0x0123, 0x0800, 0x07FF, 0x0400}, none) == Views{1, 0x88, 0x87, 4});
    // The values are 8, 8, 15 and 8. Differences in the lower bits do not count. Among equal
    // values, the token in the lowest slot becomes high.
    CHECK(views({0x100, 0x10F, 0x1F0, 0x11F}, none) == Views{0x88, 8, 0x8F, 8});
    // Half of 5 is 3, rounded up.
    CHECK(views({7, 6, 5, 4, 3}, none) == Views{0x8E, 0x8C, 0x8A, 8, 6});
    CHECK(views({7, 6, 5, 4, 3}, 0) == Views{0, 0x8C, 0x8A, 8, 6});
    CHECK(views({0, 0, 0}, none) == Views{0x80, 0x80, 0});
    CHECK(views({0xFFFF, 0x8000}, none, LEVEE_SE_SOFTMAX, 7) == Views{0xFF, 0x40});
    CHECK(views({0xFFFF, 0x8000}, none, LEVEE_SE_SOFTMAX, 1) == Views{0x81, 1});
    // -256, 0 and 255 are 0, 256 and 511 above the smallest.
    CHECK(views({0xFF00, 0x0000, 0x00FF}, none, LEVEE_SE_LOGIT) == Views{0, 0x88, 0x8F});
    CHECK(views({0x8000, 0x7FFF}, none, LEVEE_SE_LOGIT) == Views{0, 0x8F});
}

TEST_CASE(
    "recent tokens come first among the high ones if recent_high is set, without adding to them")
{
    Policy policy{8, 1, 2, LEVEE_SE_SOFTMAX, 4};
    const std::vector<std::uint16_t> importance{0x700, 0x600, 0x500, 0x400, 0x001, 0x002};
    const std::span<const std::uint16_t> all[] = {importance};
    const auto high = [&] {
        Entry entry;
        entry.heads.resize(1);
        select(policy, entry, all);
        std::vector<std::uint32_t> slots;
        for (std::uint32_t slot = 0; slot < importance.size(); ++slot)
            if ((entry.heads[0].views[slot] & LEVEE_SE_VIEW_HIGH) != 0)
                slots.push_back(slot);
        return slots;
    };
    CHECK(high() == std::vector<std::uint32_t>{0, 1, 2});
    policy.recent_high = true;
    CHECK(high() == std::vector<std::uint32_t>{0, 4, 5});
}

TEST_CASE("EVICT leaves the victim out of the register file, and SELECT fills the file")
{
    Entry entry;
    entry.heads.resize(1);
    const std::vector<std::uint16_t> importance = units({8, 1, 4, 2});
    const std::span<const std::uint16_t> one[] = {importance};
    const Policy policy{3, 0, 1, LEVEE_SE_SOFTMAX, 4, false, 0};
    select(policy, entry, one); // The policy keeps tokens 0, 2 and 3.
    CHECK(entry.heads[0].views == std::vector<std::uint8_t>{0x88, 0x84, 2});
    step(policy, entry, 4, 4, {sixteenths({0, 0, 0, 9})});
    CHECK(entry.heads[0].next == 2);
    CHECK(entry.heads[0].views == std::vector<std::uint8_t>{0x88, 4, 0, 0x89});
}

TEST_CASE("a reach: the token that the next one does not attend to is evicted, protected or not")
{
    for (const bool random : {false, true})
        for (const std::uint32_t reach : {41U, 47U, 90U}) {
            INFO("reach " << reach << ", random " << random);
            Policy policy{40, 3, 9, LEVEE_SE_SOFTMAX, 0, random, 0};
            policy.reach = reach;
            Decode decode(policy, 2, 5);
            std::uint32_t chosen = 0;
            for (std::uint32_t t = 0; t < 300; ++t) {
                const Evicted evicted = decode.next();
                for (std::size_t o1 = 0; o1 < 2; ++o1) {
                    for (const auto& [position, importance] : decode.kept(o1))
                        REQUIRE(position + reach > t + 1);
                    const std::uint32_t gone = evicted.heads[o1].slot;
                    if (gone == none)
                        continue;
                    const std::uint32_t position = decode.entry.heads[o1].positions[gone];
                    if (position + reach == t + 1)
                        continue;
                    ++chosen; // The victim was chosen by importance or at random.
                    CHECK((position >= 3 && position + 9 <= t));
                }
            }
            CHECK((chosen > 0) == (reach > 41));
        }
}

TEST_CASE("a reach: a prompt keeps tokens that the next one attends to")
{
    Policy policy{4, 2, 1, LEVEE_SE_SOFTMAX, 0, false, 0};
    policy.reach = 6; // There are ten tokens, and the next token's reach begins at position 5.
    const std::vector<std::uint16_t> importance = units({9, 9, 9, 9, 9, 1, 3, 5, 2, 0});
    Entry entry;
    entry.heads.resize(1);
    const std::span<const std::uint16_t> of_head(importance);
    select(policy, entry, {&of_head, 1});
    CHECK(entry.heads[0].positions == std::vector<std::uint32_t>{6, 7, 8, 9});
    policy.reach = 10; // The reach begins at position 1, so a sink may be evicted, too.
    select(policy, entry, {&of_head, 1});
    CHECK(entry.heads[0].positions == std::vector<std::uint32_t>{1, 2, 3, 9});
}
