// SPDX-License-Identifier: Apache-2.0
// Compares the fast rules for times of streams and refresh with a simulation of each bank
// (test/edram_cycle).
#include "ip/edram/side.hpp"
#include "test/edram_cycle/cycle_edram.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace levee;
using namespace levee::edram_test;
using edram_cycle::CycleEdram;
using edram_cycle::Line;
using edram_cycle::Machine;

namespace {

constexpr Picoseconds access_time = 2'000, refresh_row = 4'000;
constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t values = 2 * MiB;

struct Memory {
    Geometry geometry = kv_cache();
    GroupTimes intervals{};
    std::vector<Line> lines{}; ///< The list is empty if no line is valid.
};

struct Took {
    std::vector<Picoseconds> done;
    std::vector<double> refresh_share; ///< Share of the time that refresh takes at the start.
    GroupCounts refreshed{};
};

/// Reports the valid lines to the refresh controllers, as Array does.
Refresh controllers(const Memory& memory)
{
    Refresh refresh(memory.geometry, {memory.intervals, refresh_row});
    for (std::size_t line = 0; line < memory.lines.size(); ++line)
        if (memory.lines[line] != Line::Invalid)
            refresh.add(line, 1, memory.lines[line] == Line::High);
    return refresh;
}

Took by_flows(const Memory& memory, const std::vector<edram_cycle::Stream>& streams, Time end = 0)
{
    Refresh refresh = controllers(memory);
    std::vector<Side> sides;
    for (unsigned side = 0; side < memory.geometry.sides(); ++side)
        sides.emplace_back(memory.geometry, side, access_time, refresh, "edram");
    FlowNetwork network;
    std::vector<Activity> activities(streams.size());
    Took took{std::vector<Picoseconds>(streams.size(), 0), {}, {}};
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const AccessPattern& pattern = streams[i].pattern;
        const unsigned side = memory.geometry.side_of(pattern.address);
        activities[i].uses = {{&sides[side], Direction::Read, pattern, pattern.bytes()}};
        activities[i].minimum = streams[i].least_time;
        network.start(activities[i], 0);
    }
    for (const Activity& activity : activities)
        took.refresh_share.push_back(activity.refresh_share);
    while (!network.running().empty()) {
        const Picoseconds now = network.next_event();
        network.finish_due(now, [&](Activity& activity) {
            took.done[static_cast<std::size_t>(&activity - activities.data())] = now;
        });
    }
    refresh.settle(end);
    took.refreshed = refresh.refreshed();
    return took;
}

edram_cycle::Outcome bank_by_bank(const Memory& memory,
                                  const std::vector<edram_cycle::Stream>& streams, Time end = 0)
{
    const Machine machine{memory.geometry.side_bytes(),
                          memory.geometry.sides(),
                          memory.geometry.bank_pairs(),
                          memory.geometry.row_bytes,
                          16,
                          access_time,
                          refresh_row,
                          memory.intervals};
    return CycleEdram(machine, memory.lines).run(streams, end);
}

void agree(const Memory& memory, const std::vector<edram_cycle::Stream>& streams)
{
    const auto expected = bank_by_bank(memory, streams).done;
    const auto actual = by_flows(memory, streams).done;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        INFO("stream " << i << " of " << streams.size());
        CHECK(static_cast<double>(actual[i]) ==
              Approx(static_cast<double>(expected[i])).epsilon(0.05));
    }
    CHECK(static_cast<double>(*std::max_element(actual.begin(), actual.end())) ==
          Approx(static_cast<double>(*std::max_element(expected.begin(), expected.end())))
              .epsilon(0.05));
}

edram_cycle::Stream sequential(std::uint64_t address, std::uint64_t bytes, Picoseconds pace = 0)
{
    return {{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, pace};
}

/// Returns a stream of one token's vectors in `heads` heads: 256 bytes each, not adjacent.
edram_cycle::Stream one_token(std::uint64_t address, std::uint64_t heads)
{
    return {{address, 256, {heads, 1, 1}, {16 * 1024, 0, 0}, true}};
}

/// Returns a stream of `count` rows of `bytes` bytes, `stride` bytes apart.
edram_cycle::Stream rows(std::uint64_t address, std::uint64_t bytes, std::int64_t stride,
                         std::uint64_t count)
{
    return {{address, bytes, {count, 1, 1}, {stride, 0, 0}, false}};
}

/// Returns Kelle's KV memory with all lines valid, half of them with high scores.
Memory full(const GroupTimes& intervals)
{
    Memory memory{kv_cache(), intervals, {}};
    for (std::size_t line = 0; line < memory.geometry.lines(); ++line)
        memory.lines.push_back(line / 8 % 2 == 0 ? Line::High : Line::Low);
    return memory;
}

} // namespace

TEST_CASE("one stream gets 128 GB/s, keys and values together 256", "[agreement]")
{
    const auto one = by_flows({}, {sequential(0, MiB)}).done;
    CHECK(one[0] == MiB * 1000 / 128);
    const auto both = by_flows({}, {sequential(0, MiB), sequential(values, MiB)}).done;
    CHECK(both[0] == one[0]);
    CHECK(both[1] == one[0]);
    const auto same = by_flows({}, {sequential(0, MiB), sequential(MiB, MiB)}).done;
    CHECK(same[1] == 2 * one[0]);
}

TEST_CASE("one stream takes the time of a bank-by-bank simulation", "[agreement]")
{
    agree({}, {sequential(0, 256 * KiB)});
    agree({}, {sequential(values + 4096, 100 * KiB)});
    agree({}, {one_token(512, 32)});
    agree({}, {rows(0, 256, 2048, 512)});   // All rows are in one bank.
    agree({}, {rows(512, 512, 4096, 512)}); // All rows are in two banks.
    agree({}, {rows(240, 32, 2048, 512)});  // Each run crosses the edge of a line.
    agree({}, {rows(32, 64, 256, 1024)});   // Each run is a part of a row.
    agree({{Layout::Plain, 256 * KiB, 16}}, {sequential(1000, 100 * KiB)});
    agree({{Layout::Plain, 256 * KiB, 32, 16}}, {sequential(1000, 100 * KiB)});
}

TEST_CASE("two streams take the time of a bank-by-bank simulation", "[agreement]")
{
    agree({}, {sequential(0, 256 * KiB), sequential(MiB, 64 * KiB)});
    agree({}, {sequential(0, 256 * KiB), sequential(values, 64 * KiB)});
    agree({}, {sequential(0, 128 * KiB), one_token(MiB, 48)});
    agree({}, {rows(0, 1024, 2048, 256), rows(MiB, 1024, 2048, 128)});
    agree({}, {rows(0, 32, 2048, 512), rows(MiB, 32, 2048, 256)});
    agree({{Layout::Plain, 256 * KiB, 16}},
          {sequential(0, 100 * KiB), sequential(128 * KiB, 64 * KiB)});
}

TEST_CASE("eight streams of different sizes take the time of a bank-by-bank simulation",
          "[agreement]")
{
    agree({}, {sequential(0, 256 * KiB), sequential(values, 256 * KiB), sequential(MiB, 40 * KiB),
               sequential(MiB + 64 * KiB, 96 * KiB), rows(MiB + 512 * KiB, 2048, 4096, 24),
               rows(values + 512 * KiB, 2048, 4096, 24), rows(values + MiB, 4096, 8192, 19),
               sequential(values + 1536 * KiB, 8 * KiB)});
    std::vector<edram_cycle::Stream> reads;
    for (unsigned i = 0; i < 8; ++i)
        reads.push_back(sequential(i * 192 * KiB, (i + 1) * 16 * KiB));
    agree({}, reads);
}

TEST_CASE("refresh of a full array takes rows x 4 ns of each interval from a stream", "[agreement]")
{
    // A bank has 1024 rows, whose refresh takes 4.096 us. By hand, refresh takes 9.10, 81.9 and
    // 0.0585 % of 128 GB/s, depending on the interval.
    const std::pair<Time, double> cases[] = {
        {45 * us, 0.0910}, {5 * us, 0.8192}, {7 * ms, 0.000585}};
    for (const auto& [interval, load] : cases) {
        const Memory memory = full(all(interval));
        const std::vector<edram_cycle::Stream> streams{sequential(0, MiB)};
        const Took took = by_flows(memory, streams);
        const double seconds = static_cast<double>(took.done[0]);
        CHECK(seconds == Approx(MiB * 1000.0 / 128 / (1.0 - load)).epsilon(1e-3));
        CHECK(took.refresh_share[0] == Approx(load).epsilon(1e-3));
        agree(memory, streams);
    }
}

TEST_CASE("a stream that leaves a bank idle time does not wait for refresh", "[agreement]")
{
    const Picoseconds pace = 256 * KiB * 1000 / 64; // This is half of a side's rate.
    const std::vector<edram_cycle::Stream> half{sequential(0, 256 * KiB, pace)};
    const Took idle = by_flows(full(all(45 * us)), half); // The stream takes 50 % of the bank's
                                                          // time and refresh 9 %.
    CHECK(idle.done[0] == pace);
    CHECK(idle.refresh_share[0] == 0.0);
    agree(full(all(45 * us)), half);
    // The stream could use 50 %, but refresh takes 81.9 %, so the stream gets 18.1 %. Without
    // refresh it would run at its own pace.
    const Took tight = by_flows(full(all(5 * us)), half);
    CHECK(static_cast<double>(tight.done[0]) ==
          Approx(static_cast<double>(pace) * 0.5 / 0.1808).epsilon(1e-3));
    CHECK(tight.refresh_share[0] == Approx(1.0 - 0.1808 / 0.5).epsilon(1e-3));
    agree(full(all(5 * us)), half);
}

TEST_CASE("the cost of refresh for an operation is the time that it would save without refresh",
          "[agreement]")
{
    // Keys and values arrive together from a DRAM with 64 GB/s. Without refresh this is 0.25 of
    // each side.
    struct Dram : FlowResource {
        Dram() : FlowResource({FlowAccount::Kind::Storage, "dram"}) {}
        void price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                   std::span<double> ps_per_byte) override
        {
            std::fill_n(ps_per_byte.begin(), mix.size(), 1000.0 / 64);
        }
    };
    const auto share_at = [](Time interval) {
        Refresh refresh = controllers(full(all(interval)));
        std::vector<Side> sides;
        for (unsigned side = 0; side < 2; ++side)
            sides.emplace_back(kv_cache(), side, access_time, refresh, "edram");
        Dram dram;
        Activity activity;
        const AccessPattern keys = sequential(0, MiB).pattern;
        const AccessPattern both = sequential(values, MiB).pattern;
        activity.uses = {{&sides[0], Direction::Write, keys, MiB},
                         {&sides[1], Direction::Write, both, MiB},
                         {&dram, Direction::Read, keys, 2 * MiB}};
        FlowNetwork network;
        network.start(activity, 0);
        return activity.refresh_share;
    };
    CHECK(share_at(45 * us) == 0.0);
    CHECK(share_at(5 * us) == Approx(1.0 - 0.1808 / 0.25).epsilon(1e-3));
}

TEST_CASE("a stream waits for the one of its banks in which refresh leaves the least time",
          "[agreement]")
{
    Memory memory{kv_cache(), all(5 * us), std::vector<Line>(16384, Line::Invalid)};
    for (std::size_t line = 3; line < 8192; line += 8) // All 1024 rows are in bank pair 3.
        memory.lines[line] = Line::High;
    agree(memory, {sequential(0, 256 * KiB)});
    agree(memory, {rows(0, 256, 2048, 512)}); // This stream uses pair 0.
    agree(memory, {sequential(values, 256 * KiB)});
    CHECK(by_flows(memory, {sequential(values, MiB)}).done[0] == MiB * 1000 / 128);
}

namespace {

/// A random share of lines is valid, some of them with high scores, and the refresh intervals are
/// random.
Memory random_memory(std::mt19937& random)
{
    const Time intervals[] = {5 * us, 8 * us, 20 * us, 45 * us, 360 * us, 1440 * us, 0};
    Memory memory{kv_cache(), {}, {}};
    const unsigned valid = random() % 101, high = random() % 101;
    for (std::size_t line = 0; line < memory.geometry.lines(); ++line)
        memory.lines.push_back(random() % 100 >= valid ? Line::Invalid
                               : random() % 100 < high ? Line::High
                                                       : Line::Low);
    for (Time& interval : memory.intervals)
        interval = intervals[random() % std::size(intervals)];
    return memory;
}

/// Random streams that pass through all banks of their side, some at a limited pace.
std::vector<edram_cycle::Stream> random_streams(std::mt19937& random)
{
    std::vector<edram_cycle::Stream> streams;
    for (unsigned i = 0, count = 1 + random() % 8; i < count; ++i) {
        const std::uint64_t side = random() % 2 * values;
        const std::uint64_t bytes = (128 + random() % 129) * KiB;
        const std::uint64_t address = side + random() % (MiB / 32) * 32;
        const Picoseconds pace = random() % 2 == 0 ? 0 : bytes * 1000 / (8 + random() % 120);
        if (random() % 2 == 0)
            streams.push_back(sequential(address, bytes, pace));
        else
            streams.push_back(
                {{address / 2048 * 2048, 2048, {bytes / 2048, 1, 1}, {6144, 0, 0}, false}, pace});
    }
    return streams;
}

} // namespace

TEST_CASE("random mixes of streams, intervals and valid rows agree within 5 %", "[agreement]")
{
    std::mt19937 random(11);
    unsigned slowed = 0;
    for (int i = 0; i < 100; ++i) {
        CAPTURE(i);
        const Memory memory = random_memory(random);
        const auto streams = random_streams(random);
        agree(memory, streams);
        for (const double share : by_flows(memory, streams).refresh_share)
            slowed += share > 0.02 ? 1 : 0;
    }
    CHECK(slowed > 60);
}

TEST_CASE("no refresh is late, and each row is refreshed once in each interval", "[agreement]")
{
    std::mt19937 random(5);
    for (int i = 0; i < 10; ++i) {
        CAPTURE(i);
        Memory memory = random_memory(random);
        memory.intervals = {5 * us, 40 * us, 8 * us, 20 * us};
        const auto streams = random_streams(random);
        // The end is a tick before the intervals end and the next refreshes begin.
        const auto outcome = bank_by_bank(memory, streams, 80 * us - 1);
        // An access in progress and a refresh of the other group can delay a refresh by this much.
        CHECK(outcome.latest <= access_time + refresh_row);
        const Time length =
            std::max<Time>(80 * us, *std::max_element(outcome.done.begin(), outcome.done.end()));
        if (length > 80 * us)
            continue;
        const Took took = by_flows(memory, streams, 80 * us);
        for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group) {
            // A bank may serve its last refresh after the end.
            CHECK(outcome.refreshed[group] <= took.refreshed[group]);
            CHECK(took.refreshed[group] - outcome.refreshed[group] <= 32);
        }
    }
}

TEST_CASE("refresh that takes all of a bank's time is refused", "[agreement]")
{
    // A refresh of 1024 rows takes 4 ns each, in an interval of 4 us.
    CHECK_THROWS_WITH(controllers(full(all(4 * us))),
                      Catch::Contains("refresh alone takes 100 % of a bank's time") &&
                          Catch::Contains("rows of high_msb every 4 us"));
}
