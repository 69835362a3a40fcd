// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/side.hpp"
#include "test/unit/edram/bank_model.hpp"
#include "test/unit/edram/support.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::edram_test;

namespace {

constexpr Picoseconds access = 2'000;
constexpr auto R = Direction::Read;
constexpr auto W = Direction::Write;
constexpr std::uint64_t KiB = 1024;

std::vector<Picoseconds> by_flows(const Geometry& geometry, const std::vector<BankStream>& streams)
{
    std::vector<Side> sides;
    for (unsigned side = 0; side < geometry.sides(); ++side)
        sides.emplace_back(geometry, side, access, "edram");
    FlowNetwork network;
    std::vector<Activity> activities(streams.size());
    std::vector<Picoseconds> done(streams.size(), 0);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const BankStream& stream = streams[i];
        const unsigned side = geometry.side_of(stream.pattern.address);
        activities[i].uses = {
            {&sides[side], stream.direction, stream.pattern, stream.pattern.bytes()}};
        network.start(activities[i], 0);
    }
    while (!network.running().empty()) {
        const Picoseconds now = network.next_completion();
        network.finish_due(now, [&](Activity& activity) {
            done[static_cast<std::size_t>(&activity - activities.data())] = now;
        });
    }
    return done;
}

void agree(const Geometry& geometry, const std::vector<BankStream>& streams)
{
    const auto expected = bank_by_bank(geometry, streams, access);
    const auto actual = by_flows(geometry, streams);
    Picoseconds expected_total = 0, total = 0;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        INFO("stream " << i << " of " << streams.size());
        CHECK(static_cast<double>(actual[i]) ==
              Approx(static_cast<double>(expected[i])).epsilon(0.05));
        expected_total = std::max(expected_total, expected[i]);
        total = std::max(total, actual[i]);
    }
    CHECK(static_cast<double>(total) == Approx(static_cast<double>(expected_total)).epsilon(0.05));
}

BankStream sequential(Direction direction, std::uint64_t address, std::uint64_t bytes)
{
    return {{address, bytes, {1, 1, 1}, {0, 0, 0}, false}, direction};
}

/// One token's vector of each of `heads` heads: 256 bytes, apart.
BankStream one_token(Direction direction, std::uint64_t address, std::uint64_t heads)
{
    return {{address, 256, {heads, 1, 1}, {16 * 1024, 0, 0}, true}, direction};
}

/// Rows of `bytes` bytes every `stride` bytes.
BankStream rows(Direction direction, std::uint64_t address, std::uint64_t bytes,
                std::int64_t stride, std::uint64_t count)
{
    return {{address, bytes, {count, 1, 1}, {stride, 0, 0}, false}, direction};
}

constexpr std::uint64_t values = 2 * MiB;

} // namespace

TEST_CASE("KF05 one stream has 128 GB/s, keys and values together 256", "[agreement]")
{
    const Geometry geometry = kv_cache();
    const auto one = by_flows(geometry, {sequential(R, 0, MiB)});
    CHECK(one[0] == MiB * 1000 / 128);
    const auto both = by_flows(geometry, {sequential(R, 0, MiB), sequential(R, values, MiB)});
    CHECK(both[0] == one[0]);
    CHECK(both[1] == one[0]);
    const auto same = by_flows(geometry, {sequential(R, 0, MiB), sequential(W, MiB, MiB)});
    CHECK(same[1] == 2 * one[0]);
}

TEST_CASE("one stream agrees with the banks one by one", "[agreement]")
{
    const Geometry geometry = kv_cache();
    agree(geometry, {sequential(R, 0, 256 * KiB)});
    agree(geometry, {sequential(W, values + 4096, 100 * KiB)});
    agree(geometry, {one_token(W, 512, 32)});
    agree(geometry, {rows(R, 0, 32, 256, 1024)});  // all in one bank
    agree(geometry, {rows(R, 64, 64, 512, 1024)}); // in two
    agree(geometry, {rows(R, 16, 32, 256, 512)});  // over the edges of units
    agree({Layout::Plain, 256 * KiB, 16}, {sequential(R, 1000, 100 * KiB)});
}

TEST_CASE("two streams agree with the banks one by one", "[agreement]")
{
    const Geometry geometry = kv_cache();
    agree(geometry, {sequential(R, 0, 256 * KiB), sequential(R, MiB, 64 * KiB)});
    agree(geometry, {sequential(R, 0, 256 * KiB), sequential(W, values, 64 * KiB)});
    agree(geometry, {sequential(R, 0, 128 * KiB), one_token(W, MiB, 48)});
    agree(geometry, {rows(R, 0, 128, 256, 2048), rows(W, MiB, 128, 256, 1024)});
    agree(geometry, {rows(R, 0, 32, 256, 2048), rows(R, MiB, 32, 256, 1024)});
    agree({Layout::Plain, 256 * KiB, 16},
          {sequential(R, 0, 100 * KiB), sequential(W, 128 * KiB, 64 * KiB)});
}

TEST_CASE("eight streams of unequal sizes agree with the banks one by one", "[agreement]")
{
    const Geometry geometry = kv_cache();
    agree(geometry,
          {sequential(R, 0, 256 * KiB), sequential(R, values, 256 * KiB),
           sequential(W, MiB, 40 * KiB), sequential(R, MiB + 64 * KiB, 96 * KiB),
           one_token(W, MiB + 512 * KiB, 24), one_token(W, values + 512 * KiB, 24),
           rows(R, values + MiB, 256, 1024, 300), sequential(W, values + 1536 * KiB, 8 * KiB)});
    std::vector<BankStream> reads;
    for (unsigned i = 0; i < 8; ++i)
        reads.push_back(sequential(i % 2 ? W : R, i * 192 * KiB, (i + 1) * 16 * KiB));
    agree(geometry, reads);
}
