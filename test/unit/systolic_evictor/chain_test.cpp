// SPDX-License-Identifier: Apache-2.0
// Compares the evictor's chain with a naive search.
#include "core/numerics/numerics.hpp"
#include "ip/systolic_evictor/chain.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t tile_rows = 32;

using namespace levee;
using namespace levee::systolic_evictor;

/// Tokens of a cache and a row of scores, with their naive evaluation.
struct Tokens {
    levee_se_score format;
    std::vector<std::uint16_t> old;
    std::vector<std::uint16_t> scores;
    std::vector<std::uint8_t> is_protected;

    Tokens(levee_se_score kind, std::size_t count, std::uint32_t seed) : format(kind)
    {
        // There are few different values, so that ties occur. Some are large, so that sums
        // saturate.
        const std::uint16_t values[] = {0, 1, 3, 0x7FFE, 0x7FFF, 0x8000, 0x8001, 0xFFFE, 0xFFFF};
        for (std::uint32_t i = 0; i < count; ++i) {
            old.push_back(values[random_word(seed, 0, i) % 9]);
            scores.push_back(values[random_word(seed, 1, i) % 9]);
            is_protected.push_back(random_word(seed, 2, i) % 3 == 0 ? 1 : 0);
        }
    }
    long number(std::uint16_t bits) const
    {
        return format == LEVEE_SE_LOGIT && bits > 0x7FFF ? bits - 0x10000L : bits;
    }
    std::uint16_t sum(std::size_t i) const
    {
        const long most = format == LEVEE_SE_LOGIT ? 32767 : 65535;
        const long least = format == LEVEE_SE_LOGIT ? -32768 : 0;
        const long exact = number(old[i]) + number(scores[i]);
        return static_cast<std::uint16_t>(exact > most ? most : exact < least ? least : exact);
    }
    Pair least_of(std::size_t first, std::size_t last, Pair before) const
    {
        for (std::size_t i = first; i < last; ++i)
            if (is_protected[i] == 0 &&
                (before.index == none || number(sum(i)) < number(before.least)))
                before = {sum(i), static_cast<std::uint32_t>(i)};
        return before;
    }
};

} // namespace

TEST_CASE("the chain's index and minimum equal those of a naive search, tile after tile")
{
    std::uint32_t carried = 0; // Counts how often a tile passes on the pair of an earlier tile.
    for (std::uint32_t seed = 0; seed < 400; ++seed) {
        const auto format = seed % 2 == 0 ? LEVEE_SE_SOFTMAX : LEVEE_SE_LOGIT;
        const Tokens tokens(format, 1 + random_word(seed, 9, 0) % 150, seed);
        const std::size_t count = tokens.old.size();
        INFO("seed " << seed << ", " << count << " tokens");
        Chain chain(format, tile_rows);
        Pair pair;
        for (std::size_t first = 0; first < count; first += tile_rows) {
            const std::size_t size = std::min(tile_rows, count - first);
            chain.preload(std::span(tokens.old).subspan(first, size),
                          std::span(tokens.is_protected).subspan(first, size),
                          static_cast<std::uint32_t>(first), pair);
            for (std::size_t i = first; i < first + size; ++i)
                chain.step(tokens.scores[i]);
            for (std::size_t i = 0; i < size; ++i)
                CHECK(chain.importance()[i] == tokens.sum(first + i));
            carried += pair.index != none && chain.result() == pair ? 1 : 0;
            pair = chain.result();
        }
        CHECK(pair == tokens.least_of(0, count, {}));
    }
    CHECK(carried > 50);
}

TEST_CASE("the pair moves one row further each cycle, and is valid one cycle after the last score")
{
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const Tokens tokens(LEVEE_SE_SOFTMAX, tile_rows, seed);
        const Pair before{5, 99};
        Chain chain(LEVEE_SE_SOFTMAX, tile_rows);
        chain.preload(tokens.old, tokens.is_protected, 0, before);
        CHECK(chain.result() == before);
        for (std::size_t cycle = 1; cycle <= tile_rows; ++cycle) {
            chain.step(tokens.scores[cycle - 1]);
            CHECK(chain.steps() == cycle);
            CHECK(chain.result() == tokens.least_of(0, cycle, before));
            CHECK(chain.importance()[cycle - 1] == tokens.sum(cycle - 1));
            if (cycle < tile_rows)
                CHECK(chain.importance()[cycle] == tokens.old[cycle]);
        }
    }
}

TEST_CASE("among equal tokens the first is evicted, even if all are saturated, and none if all are "
          "protected")
{
    Chain chain(LEVEE_SE_SOFTMAX, tile_rows);
    const std::vector<std::uint16_t> saturated(6, 0xFFFF);
    const std::vector<std::uint8_t> but_two{1, 1, 0, 1, 0, 1};
    chain.preload(saturated, but_two, 64, {});
    for (int i = 0; i < 6; ++i)
        chain.step(1);
    CHECK(chain.result() == Pair{0xFFFF, 66});
    chain.preload(saturated, std::vector<std::uint8_t>(6, 1), 0, {});
    for (int i = 0; i < 6; ++i)
        chain.step(1);
    CHECK(chain.result().index == none);
}

TEST_CASE(
    "a stream's queries are added one after another, also for protected tokens, and move no pair")
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const auto format = seed % 2 == 0 ? LEVEE_SE_SOFTMAX : LEVEE_SE_LOGIT;
        Tokens tokens(format, 1 + random_word(seed, 9, 0) % tile_rows, seed);
        const Pair before{5, 99};
        Chain chain(format, tile_rows);
        chain.preload(tokens.old, tokens.is_protected, 0, before);
        for (std::uint32_t query = 1; query < 6; ++query) {
            for (std::size_t i = 0; i < tokens.old.size(); ++i)
                tokens.old[i] = tokens.sum(i);
            chain.wave(tokens.scores);
            CHECK(std::ranges::equal(chain.importance(), tokens.old));
            tokens.scores = Tokens(format, tokens.old.size(), seed + 1000 * query).scores;
        }
        CHECK(chain.result() == before);
    }
}

TEST_CASE("a chain refuses more tokens than rows and more scores than tokens")
{
    Chain chain(LEVEE_SE_LOGIT, 4);
    const std::vector<std::uint16_t> five(5);
    CHECK_THROWS_AS(chain.preload(five, std::vector<std::uint8_t>(5), 0, {}),
                    std::invalid_argument);
    CHECK_THROWS_AS(chain.preload(std::span(five).first(3), std::vector<std::uint8_t>(2), 0, {}),
                    std::invalid_argument);
    chain.preload(std::span(five).first(1), std::vector<std::uint8_t>(1), 0, {});
    chain.step(0);
    CHECK_THROWS_AS(chain.step(0), std::logic_error);
    CHECK_THROWS_AS(chain.wave(std::span(five).first(2)), std::invalid_argument);
}
