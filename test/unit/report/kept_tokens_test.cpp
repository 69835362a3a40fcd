// SPDX-License-Identifier: Apache-2.0
// Tests the report of kept tokens with decisions written by hand: two layers of one head, which
// keep three tokens.
#include "ip/kv_tables/decided.hpp"
#include "platform/observe/decisions/kept_tokens.hpp"

#include <catch2/catch.hpp>

#include <cstring>

using levee::Decision;
using levee::KeptTokens;
using levee::kv_tables::Decided;
using Head = KeptTokens::Head;

namespace {

constexpr std::int64_t stays = KeptTokens::stays;
constexpr std::size_t plenty = 1000;

void write(Decision& decision, Decided what, std::uint64_t address,
           const std::vector<std::uint32_t>& words, std::uint32_t iteration = 0)
{
    Decision::Write& one = decision.writes.emplace_back();
    one.pattern.address = address;
    one.bytes.resize(words.size() * sizeof(std::uint32_t));
    std::memcpy(one.bytes.data(), words.data(), one.bytes.size());
    one.iteration = iteration;
    one.what = static_cast<std::uint8_t>(what);
}

/// Returns a SELECT on the cache at `base` that keeps these positions.
Decision select(std::uint64_t base, const std::vector<std::uint32_t>& positions,
                std::uint32_t iteration = 0)
{
    Decision decision;
    write(decision, Decided::Next, base, {static_cast<std::uint32_t>(positions.size())}, iteration);
    write(decision, Decided::Positions, base + 0x100, positions, iteration);
    write(decision, Decided::Gather, base + 0x200, positions, iteration);
    return decision;
}

/// Returns an EVICT: the token at `position` has arrived in `slot`, and the token in slot `next` is
/// evicted for the next token.
Decision evict(std::uint64_t base, std::uint32_t slot, std::uint32_t position, std::uint32_t next)
{
    Decision decision;
    write(decision, Decided::Next, base, {next});
    write(decision, Decided::Positions, base + 0x100 + 4 * slot, {position});
    return decision;
}

} // namespace

TEST_CASE("A token ends with the arrival that evicted it, or with the prompt's length")
{
    KeptTokens kept(2, 1, 3);
    kept.decided("evictor", 0, select(0x1000, {0, 3, 4})); // The prompt has five tokens.
    kept.decided("evictor", 1, select(0x2000, {0, 1, 4}));
    kept.decided("evictor", 2, evict(0x1000, 3, 5, 1)); // Slot 1 held token 3.
    kept.decided("evictor", 3, evict(0x2000, 3, 5, 3)); // The victim is the arriving token itself.
    kept.decided("evictor", 4, evict(0x1000, 1, 6, 2)); // Slot 2 held token 4.
    kept.decided("evictor", 5, evict(0x2000, 3, 6, 0));
    const auto sequences = kept.sequences(plenty);
    REQUIRE(sequences.size() == 1);
    CHECK(sequences[0].index == 0);
    REQUIRE(sequences[0].layers.size() == 2);
    CHECK(sequences[0].layers[0] == std::vector<Head>{{stays, 5, 5, 5, 6, stays, stays}});
    CHECK(sequences[0].layers[1] == std::vector<Head>{{6, stays, 5, 5, stays, 5, stays}});
    CHECK(kept.reason(plenty).empty());
}

TEST_CASE("No token leaves the cache while it has space")
{
    KeptTokens kept(1, 1, 3);
    kept.decided("evictor", 0, select(0x1000, {0}));
    kept.decided("evictor", 1, evict(0x1000, 1, 1, 2));
    kept.decided("evictor", 2, evict(0x1000, 2, 2, 3));
    CHECK(kept.sequences(plenty)[0].layers[0][0] == Head{stays, stays, stays});
    kept.decided("evictor", 3, evict(0x1000, 3, 3, 0));
    CHECK(kept.sequences(plenty)[0].layers[0][0] == Head{3, stays, stays, stays});
}

TEST_CASE("A selection published in parts counts once, and a later one is the next sequence")
{
    KeptTokens kept(1, 2, 3);
    kept.decided("evictor", 0, select(0x1000, {0, 1}, 0));
    // This is the second head, in the same operation.
    kept.decided("evictor", 0, select(0x1800, {0, 1}, 1));
    kept.decided("evictor", 1, select(0x1000, {0}, 0));
    kept.decided("evictor", 1, select(0x1800, {0}, 1));
    const auto sequences = kept.sequences(plenty);
    REQUIRE(sequences.size() == 2);
    CHECK(sequences[0].layers[0] == std::vector<Head>{{stays, stays}, {stays, stays}});
    CHECK(sequences[1].layers[0] == std::vector<Head>{{stays}, {stays}});
    CHECK(sequences[1].index == 1);
}

TEST_CASE("Data too large for a report are left out, and the report says so")
{
    KeptTokens kept(1, 1, 3);
    CHECK(kept.reason(plenty) == "The kept tokens are not shown, because no cache was filled.");
    for (std::uint64_t i = 0; i < 3; ++i)
        kept.decided("evictor", i, select(0x1000, {0, 1, 2}));
    CHECK(kept.sequences(6).size() == 2);
    CHECK(kept.reason(6) == "2 of 3 sequences are shown.");
}
