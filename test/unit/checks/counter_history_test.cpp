// SPDX-License-Identifier: Apache-2.0
// Tests a counter's history, in which a wait finds the write that satisfied it. The history uses
// bounded memory.
#include "platform/observe/checks/counter_history.hpp"

#include <catch2/catch.hpp>

namespace {

using levee::checks::CounterHistory;
using levee::checks::VectorClock;

constexpr std::size_t writer = 1, parties = 3;

/// Returns the vector clock of a block that has done nothing but wait for `value`.
VectorClock after(const CounterHistory& history, std::uint32_t value)
{
    VectorClock clock(parties);
    history.join(clock, value);
    return clock;
}

} // namespace

TEST_CASE("A wait is ordered after the first value that satisfies it, and after no later one")
{
    CounterHistory history;
    VectorClock clock(parties);
    for (std::uint32_t value = 1; value <= 5; ++value) {
        clock.release(writer);
        history.add(value, clock);
    }
    CHECK(after(history, 3).stamp(writer) == 3);
    CHECK(after(history, 0).stamp(writer) == 1);
    CHECK(after(history, 6).stamp(writer) == 0); // The counter never reached this value.
}

TEST_CASE(
    "A counter's history takes bounded memory in a long run, and forgets writes known to all first")
{
    CounterHistory history;
    VectorClock clock(parties), known(parties);
    std::size_t largest = 0;
    for (std::uint32_t value = 1; value <= 1'000'000; ++value) {
        clock.release(writer);
        if (history.add(value, clock))
            history.forget(known);
        if (value % 10 == 0)
            known.join(clock); // Every block knows these writes now.
        largest = std::max(largest, history.size());
    }
    CHECK(largest <= 64);
    history.forget(known);
    CHECK(history.size() == 1);
    VectorClock late = known;
    history.join(late, 17); // The counter reached this value long ago.
    CHECK(late.is_within(known));
}

TEST_CASE("Values that some block does not know are thinned out, which adds order but removes none")
{
    CounterHistory history;
    VectorClock clock(parties);
    const VectorClock known(parties);
    for (std::uint32_t value = 1; value <= 100'000; ++value) {
        clock.release(writer);
        if (history.add(value, clock))
            history.forget(known);
        REQUIRE(history.size() <= CounterHistory::most);
    }
    for (const std::uint32_t value : {1u, 777u, 50'001u, 99'999u, 100'000u})
        CHECK(after(history, value).stamp(writer) >= value);
    CHECK(after(history, 100'000).stamp(writer) == 100'000);
    CHECK(after(history, 100'001).stamp(writer) == 0);
}
