// SPDX-License-Identifier: Apache-2.0
#include "ip/kv_tables/drawn_cache.hpp"
#include "ip/kv_tables/views.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace levee;
using namespace levee::kv_tables;

namespace {

const DecisionStatistics statistics{.holders = 0.8,
                                    .newest_victims = 0.3,
                                    .popular = 0.4,
                                    .turnover = 0.5,
                                    .arrivals_high = 0.2,
                                    .swaps = 0.03};

Policy policy(std::uint32_t capacity)
{
    Policy policy;
    policy.capacity = capacity;
    policy.sinks = 10;
    policy.window = capacity / 2;
    policy.view_bits = 4;
    policy.seed = 7;
    return policy;
}

struct Full {
    Full(const Policy& p, std::uint32_t input_rows)
        : policy(p), cache(statistics, 3), now(2 * p.capacity)
    {
        cache.select(policy, now);
        if (input_rows != 0)
            cache.popular(policy, input_rows);
        positions.resize(policy.capacity + 1, 0);
    }
    std::uint32_t step()
    {
        const std::uint32_t arrival = cache.next();
        positions[arrival] = now;
        cache.evict(policy, policy.capacity + 1, now++, arrival, is_scored);
        return arrival;
    }
    [[nodiscard]] std::uint32_t high() const
    {
        std::uint32_t count = 0;
        for (std::uint32_t slot = 0; slot <= policy.capacity; ++slot)
            count += cache.is_high(slot) ? 1 : 0;
        return count;
    }
    Policy policy;
    bool is_scored = true;
    DrawnCache cache;
    std::uint32_t now;
    // The positions of the tokens in the slots; 0 for tokens of the prompt.
    std::vector<std::uint32_t> positions;
};

} // namespace

TEST_CASE("drawn: victims are unprotected, and half of the remaining tokens have high scores")
{
    Full full(policy(128), 0);
    std::uint32_t newest = 0;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        full.step();
        const std::uint32_t gone = full.cache.next();
        REQUIRE(gone <= 128);
        REQUIRE(full.positions[gone] + full.policy.window < full.now);
        REQUIRE(gone >= full.policy.sinks); // Sinks are in the first slots.
        newest += full.positions[gone] + full.policy.window + 1 == full.now ? 1 : 0;
        REQUIRE(full.high() == 64);
        REQUIRE(!full.cache.is_high(gone));
    }
    CHECK(newest > 200); // In three of ten steps, the victim is the token that has just left the
                         // window, unless it is high.
    CHECK(newest < 600);
}

TEST_CASE("drawn: there are no victims while the cache fills up")
{
    Policy filling = policy(128);
    DrawnCache cache(statistics, 0);
    cache.select(filling, 20);
    for (std::uint32_t length = 21; length <= 128; ++length) {
        const std::uint32_t arrival = cache.next();
        CHECK(arrival == length - 1);
        cache.evict(filling, length, length - 1, arrival, true);
        CHECK(cache.next() == length);
    }
}

TEST_CASE("drawn: a prompt takes as many slots as it has tokens, whatever the capacity")
{
    Policy large = policy(128);
    large.capacity = UINT32_MAX;
    DrawnCache cache(statistics, 3);
    cache.select(large, 100);
    CHECK(cache.next() == 100);
    CHECK(cache.positions().size() == 101);
}

TEST_CASE("drawn: a token that arrives again changes nothing, whatever its stated place")
{
    const Policy filling = policy(128);
    DrawnCache once(statistics, 0), twice(statistics, 0);
    for (DrawnCache* cache : {&once, &twice})
        cache->select(filling, 100);
    for (std::uint32_t now = 100; now < 400; ++now) {
        const std::uint32_t length = std::min(now + 1, 129u), arrival = once.next();
        once.evict(filling, length, now, arrival, true);
        twice.evict(filling, length, now, arrival, true);
        twice.evict(filling, length, now, twice.next(), true);
        REQUIRE(twice.next() == once.next());
        REQUIRE(std::ranges::equal(twice.changes(), once.changes()));
    }
    CHECK_THROWS_AS(once.evict(filling, 129, 400, 129, true), Refusal);
}

TEST_CASE("drawn: tokens change groups as often as the statistics say")
{
    Full full(policy(512), 0);
    double changes = 0;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        full.step();
        changes += static_cast<double>(full.cache.changes().size());
    }
    // In each step, 512 * 0.03 pairs of tokens exchange their groups (high and low), which makes
    // two changes for each pair. Arrivals cause further changes.
    CHECK(changes / 2000 > 2 * 512 * 0.03);
    CHECK(changes / 2000 < 2 * 512 * 0.03 + 3);
}

TEST_CASE("drawn: recent tokens have high scores if recent_high is set")
{
    Policy first = policy(128);
    first.window = 40;
    first.recent_high = true;
    Full full(first, 0);
    for (std::uint32_t i = 0; i < 500; ++i) {
        full.step();
        REQUIRE(full.high() == 64);
        for (std::uint32_t slot = 0; slot <= 128; ++slot)
            if (full.positions[slot] + 40 >= full.now)
                REQUIRE(full.cache.is_high(slot));
    }
}

TEST_CASE("drawn: inputs take free rows, and leave at the rate of the statistics")
{
    Full full(policy(128), 100);
    const std::uint32_t begun = full.cache.in_use();
    CHECK(begun == 10 + 64 + static_cast<std::uint32_t>(0.4 * (128 - 74)));
    std::uint32_t in_use = begun, freed = 0;
    for (std::uint32_t i = 0; i < 3000; ++i) {
        const std::uint32_t row = full.cache.current();
        full.step();
        CHECK(full.cache.stored() == (row != none));
        freed += static_cast<std::uint32_t>(full.cache.freed().size());
        in_use = in_use + (full.cache.stored() ? 1 : 0) -
                 static_cast<std::uint32_t>(full.cache.freed().size());
        REQUIRE(full.cache.in_use() == in_use);
        REQUIRE(full.cache.used() <= 100);
        REQUIRE(full.cache.used() >= in_use);
        for (const std::uint32_t gone : full.cache.freed())
            CHECK(gone >= full.policy.sinks);
    }
    // In each step, each of about 89 stored inputs is freed with probability 0.5 / 118. That makes
    // about 1130 in the whole run.
    CHECK(freed > 1000);
    CHECK(freed < 1200);
}

TEST_CASE("drawn: rows of sinks are never released")
{
    Full full(policy(128), 8);
    CHECK(full.cache.used() == 8);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        full.step();
        REQUIRE(full.cache.in_use() == 8);
        REQUIRE(full.cache.current() == none);
    }
}

TEST_CASE("drawn: results depend only on seed and stream")
{
    Full one(policy(128), 100), two(policy(128), 100);
    Policy other = policy(128);
    other.seed = 8;
    Full three(other, 100);
    bool differs = false;
    for (std::uint32_t i = 0; i < 200; ++i) {
        for (Full* full : {&one, &two, &three})
            full->step();
        REQUIRE(one.cache.next() == two.cache.next());
        REQUIRE(std::ranges::equal(one.cache.changes(), two.cache.changes()));
        differs |= one.cache.next() != three.cache.next();
    }
    CHECK(differs);
}

TEST_CASE("drawn: without scores the lower half of the slots is high, as in a computed run")
{
    for (const std::uint32_t capacity : {64u, 65u}) {
        Full full(policy(capacity), 0);
        full.is_scored = false;
        for (std::uint32_t i = 0; i < 500; ++i) {
            full.step();
            std::vector<std::uint8_t> views(capacity + 1);
            write_views(std::vector<std::uint16_t>(capacity + 1), full.cache.next(),
                        LEVEE_SE_SOFTMAX, 4, views);
            for (std::uint32_t slot = 0; slot <= capacity; ++slot)
                REQUIRE(full.cache.is_high(slot) == (views[slot] != 0));
        }
    }
}

TEST_CASE("drawn: the lower half of the slots is high after skipped tokens, too")
{
    for (const std::uint32_t capacity : {64u, 65u}) {
        Full full(policy(capacity), 0);
        full.is_scored = false;
        for (std::uint32_t jump = 0; jump < 200; ++jump) {
            full.now += jump % 7;
            full.step();
            std::vector<std::uint8_t> views(capacity + 1);
            write_views(std::vector<std::uint16_t>(capacity + 1), full.cache.next(),
                        LEVEE_SE_SOFTMAX, 4, views);
            for (std::uint32_t slot = 0; slot <= capacity; ++slot)
                REQUIRE(full.cache.is_high(slot) == (views[slot] != 0));
        }
    }
}

TEST_CASE("drawn: recent tokens have high scores if recent_high is set, after skipped ones, too")
{
    Policy first = policy(128);
    first.window = 40;
    first.recent_high = true;
    Full full(first, 0);
    for (std::uint32_t jump = 0; jump < 200; ++jump) {
        full.now += jump % 5;
        full.step();
        REQUIRE(full.high() == 64);
        for (std::uint32_t slot = 0; slot <= 128; ++slot)
            if (full.cache.positions()[slot] + 40 >= full.now)
                REQUIRE(full.cache.is_high(slot));
    }
}

TEST_CASE("drawn: if the oldest recent token is always the victim, it is evicted from any slot")
{
    DecisionStatistics newest = statistics;
    newest.newest_victims = 1.0;
    Policy slots = policy(96);
    slots.view_bits = 0;
    DrawnCache cache(newest, 3);
    cache.select(slots, 2 * slots.capacity);
    std::uint32_t now = 2 * slots.capacity;
    for (std::uint32_t i = 0; i < 1000; ++i, ++now) {
        now += i % 100 == 60 ? i : 0;
        cache.evict(slots, slots.capacity + 1, now, cache.next(), true);
        if (now > 2 * slots.capacity + slots.window) // The slots of the prompt's tokens are not
                                                     // known.
            REQUIRE(cache.positions()[cache.next()] + slots.window == now);
    }
}

TEST_CASE("drawn: a cache that skips tokens ends like one that has seen each token")
{
    for (const bool is_scored : {true, false}) {
        Full seeing(policy(96), 40), skipping(policy(96), 40);
        seeing.is_scored = skipping.is_scored = is_scored;
        std::vector<std::uint8_t> views(97, 0);
        for (std::uint32_t slot = 0; slot <= 96; ++slot)
            views[slot] = skipping.cache.is_high(slot);
        for (unsigned jump = 0; jump < 20; ++jump) {
            skipping.step();
            for (const std::uint32_t slot : skipping.cache.changes())
                views[slot] = skipping.cache.is_high(slot);
            skipping.now += 5 * jump;
            for (unsigned step = 0; step <= 5 * jump; ++step)
                seeing.step();
            skipping.step();
            for (const std::uint32_t slot : skipping.cache.changes())
                views[slot] = skipping.cache.is_high(slot);
            seeing.step();
            // The numbers of used input rows may differ slightly.
            CHECK(skipping.cache.in_use() + 3 >= seeing.cache.in_use());
            CHECK(skipping.cache.in_use() <= seeing.cache.in_use() + 3);
            CHECK(skipping.high() == seeing.high());
            for (std::uint32_t slot = 0; slot <= 96; ++slot)
                CHECK(skipping.cache.is_high(slot) ==
                      (views[slot] != 0)); // All changes of views were reported.
        }
    }
}

TEST_CASE("drawn: a cache without scores protects sinks and recent tokens after skipped ones, too")
{
    Policy slots = policy(96);
    slots.view_bits = 0;
    Full skipping(slots, 0);
    for (unsigned jump = 0; jump < 40; ++jump) {
        for (unsigned step = 0; step < 7; ++step) {
            skipping.step();
            const std::uint32_t gone = skipping.cache.next();
            REQUIRE(gone <= slots.capacity);
            REQUIRE(gone >= slots.sinks);
            REQUIRE(skipping.positions[gone] + slots.window < skipping.now);
            for (std::uint32_t recent = 1; recent <= slots.window; ++recent)
                REQUIRE(std::ranges::count(skipping.cache.positions(), skipping.now - recent) == 1);
        }
        skipping.now += 3 * jump;
    }
}

TEST_CASE("drawn: each skipped token replaces the one that leaves the recent window")
{
    Policy slots = policy(96);
    slots.view_bits = 0;
    for (const std::uint32_t jump : {1u, 47u, 48u, 49u, 50u, 1000u}) {
        Full skipping(slots, 0);
        skipping.step();
        const auto old = [&](std::uint32_t before) { // Returns the tokens older than the window.
            std::vector<std::uint32_t> all;
            for (const std::uint32_t position : skipping.cache.positions())
                if (position + slots.window + 1 < before)
                    all.push_back(position);
            std::ranges::sort(all);
            return all;
        };
        const std::uint32_t before = skipping.now;
        const std::vector<std::uint32_t> stay = old(before);
        skipping.now += jump;
        skipping.step();
        const std::vector<std::uint32_t> left = old(before);
        // The last step draws a victim and frees its slot, and two slots may exchange their tokens'
        // numbers.
        CHECK(stay.size() - left.size() <= 2);
        CHECK(std::ranges::includes(stay, left));
    }
}

TEST_CASE(
    "drawn: with a reach, tokens within the next token's reach remain, also after skipped ones")
{
    for (const unsigned view_bits : {0U, 4U})
        for (const std::uint32_t skipped : {1U, 7U}) {
            Policy reaching = policy(64);
            reaching.reach = 80;
            reaching.view_bits = view_bits;
            DrawnCache cache(statistics, 3);
            std::uint32_t now = 200, arrival = 0, passed = 0;
            cache.select(reaching, now);
            std::vector<std::uint32_t> positions(cache.positions().begin(),
                                                 cache.positions().end());
            for (const std::uint32_t position : positions)
                CHECK((position == 0 || position >= 121)); // Position 0 marks the spare slot.
            for (std::uint32_t i = 0; i < 500; ++i) {
                now += skipped - 1;
                arrival = cache.next();
                cache.evict(reaching, 65, now++, arrival, true);
                const auto seen = cache.positions();
                passed += seen[cache.next()] + 80 == now ? 1 : 0;
                for (std::uint32_t slot = 0; slot < 65; ++slot)
                    REQUIRE((slot == cache.next() || seen[slot] + 80 > now));
            }
            CHECK(passed > 20);
            CHECK(passed < 500);
        }
}
