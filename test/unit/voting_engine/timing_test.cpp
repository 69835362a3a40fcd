// SPDX-License-Identifier: Apache-2.0
// Tests the times at which vectors enter the engine and at which their votes are cast.
#include "core/numerics/numerics.hpp"
#include "ip/voting_engine/timing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

namespace {

using namespace levee;
using levee::voting_engine::EntryTime;

/// A plain version that decides in each cycle whether an element enters.
struct CycleByCycle {
    std::uint64_t taken = 0, passed = 0;

    CycleByCycle(std::uint64_t capacity, const std::vector<std::uint64_t>& lengths)
    {
        std::vector<std::uint64_t> left; // Cycle in which each element leaves the FIFO.
        std::vector<std::pair<std::uint64_t, std::uint64_t>> stalls;
        std::uint64_t cycle = 0, handed = 0, begun = 0, ended = 0, entered = 0;
        for (std::size_t v = 0; v < lengths.size(); ++v) {
            for (std::uint64_t i = 0; i < lengths[v]; ++i, ++cycle, ++entered) {
                for (bool waits = true; waits; cycle += waits ? 1 : 0) {
                    const auto gone =
                        std::ranges::count_if(left, [&](std::uint64_t at) { return at < cycle; });
                    waits = entered - static_cast<std::uint64_t>(gone) >= capacity;
                    for (const auto& [from, to] : stalls)
                        waits = waits || (cycle >= from && cycle < to);
                }
            }
            taken = cycle;
            const std::uint64_t complete = v == 0 ? cycle + 1 : std::max(cycle + 1, handed + 1);
            handed = v == 0 ? complete : std::max(complete, begun + 1);
            stalls.emplace_back(complete, handed);
            begun = std::max(handed + 49, ended);
            ended = begun + lengths[v];
            for (std::uint64_t i = 0; i < lengths[v]; ++i)
                left.push_back(begun + i);
            // The next element cannot enter while this vector's sum waits.
            if (cycle >= complete && cycle < handed)
                cycle = handed;
        }
        passed = ended + 1;
    }
};

EntryTime through(std::uint64_t capacity, const std::vector<std::uint64_t>& lengths)
{
    EntryTime time(capacity);
    for (const std::uint64_t length : lengths)
        time.add(length);
    return time;
}

} // namespace

TEST_CASE("the engine takes an element per cycle, and the last votes come a vector's length and 51 "
          "cycles later")
{
    STATIC_REQUIRE(voting_engine::threshold_stages == 48);
    CHECK(voting_engine::lag(100) == 151);
    for (const std::uint64_t heads : {1u, 2u, 32u})
        for (const std::uint64_t length : {50u, 100u, 4045u}) {
            const EntryTime time = through(4096, std::vector<std::uint64_t>(heads, length));
            CHECK(time.taken() == heads * length);
            CHECK(time.passed() == heads * length + voting_engine::lag(length));
        }
}

TEST_CASE("with a full FIFO, the next vector enters when the first element has left it")
{
    CHECK(through(100, {100, 100}).taken() == 251);
    CHECK(through(4096, {4096, 4096, 4096}).taken() == 3 * 4096 + 2 * 51);
    CHECK(through(4096, {4050, 4050}).taken() == 8100 + 5);
}

TEST_CASE("vectors shorter than a threshold's computation wait for it")
{
    // By hand, the first vector's sum is complete in cycle 11, and its threshold is in use until
    // 60. The second sum is complete in 21 and is handed over in 61. Until then, one element of the
    // third vector has entered.
    CHECK(through(4096, {10, 10, 10}).taken() == 70);
    CHECK(through(4096, {1, 1, 1}).passed() > 3 * 48);
}

TEST_CASE("random vectors equal the cycle-by-cycle version")
{
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        const std::uint64_t capacity = 1 + random_word(seed, 1, 0) % 150;
        std::vector<std::uint64_t> lengths(1 + random_word(seed, 1, 1) % 6);
        for (std::size_t i = 0; i < lengths.size(); ++i)
            lengths[i] = 1 + random_word(seed, 2, i) % (seed % 3 == 0 ? 2 : capacity) % capacity;
        INFO("seed " << seed);
        const EntryTime time = through(capacity, lengths);
        const CycleByCycle slow(capacity, lengths);
        CHECK(time.taken() == slow.taken);
        CHECK(time.passed() == slow.passed);
    }
}
