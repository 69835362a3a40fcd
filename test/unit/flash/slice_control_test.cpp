// SPDX-License-Identifier: Apache-2.0
// Tests slice control under the load of a channel of Cambricon-LLM-S, with balanced read-computes
// and reads.
#include "test/unit/flash/timeline.hpp"

#include <catch2/catch.hpp>

using namespace levee::flash;
using namespace levee::flash::test;

namespace {

constexpr std::uint32_t page = 16384, cores = 4, input = 256, result = 64;

struct Load {
    Time compute, read;
    double utilisation;
};

/// Runs `tiles` tiles of one page per core on plane 0, and `reads` reads on plane 1.
Load run(TimingConfig config, std::uint32_t tiles, std::uint32_t reads)
{
    Channel channel(geometry(2, 2, 2), config);
    std::vector<Request> tile;
    for (std::uint32_t die = 0; die < cores; ++die)
        tile.push_back({RequestKind::ReadCompute, die, 0, 0, result, page});
    for (std::uint32_t i = 0; i < tiles; ++i)
        channel.submit_tile(tile, input, 0);
    for (std::uint32_t i = 0; i < reads; ++i)
        channel.submit({RequestKind::Read, i % cores, 1, 0, page, 0}, 0);
    const Time end = channel.run();
    const ChannelCounts& counts = channel.counts();
    return {counts.last_compute, counts.last_read,
            static_cast<double>(counts.bus_busy) / static_cast<double>(end)};
}

// Computed by hand: a tile takes tR + W/ch = 30.256 us. Its vectors occupy the bus for 0.512 us. In
// the other 29.744 us the bus transfers 1.815 pages. Reads of 726 pages therefore take as long as
// 400 tiles.
constexpr std::uint32_t tiles = 400, reads = 726;

} // namespace

TEST_CASE("slice control: read-computes keep their pace, and reads fill the channel")
{
    const Load alone = run(cambricon(), tiles, 0), both = run(cambricon(), tiles, reads);
    // A tile waits for the current slice twice, with its input and with its result.
    CHECK(both.compute >= alone.compute);
    CHECK(static_cast<double>(both.compute) < 1.07 * static_cast<double>(alone.compute));
    CHECK(static_cast<double>(both.read) < 1.05 * static_cast<double>(both.compute));
    CHECK(both.utilisation > 0.92);
    CHECK(alone.utilisation < 0.06); // Section IV-C: at most 6 % with read-computes only.
}

TEST_CASE("without slice control, whole pages in order of arrival take 1.6 to 1.8 times as long")
{
    TimingConfig unsliced = cambricon();
    unsliced.slice_bytes = 0;
    unsliced.arbitration = Arbitration::FirstCome;
    const Load with = run(cambricon(), tiles, reads), without = run(unsliced, tiles, reads);
    const double slower = static_cast<double>(std::max(without.compute, without.read)) /
                          static_cast<double>(std::max(with.compute, with.read));
    INFO("slower by " << slower << ", utilisation " << without.utilisation << " for "
                      << with.utilisation);
    CHECK(slower > 1.6);
    CHECK(slower < 1.8);
    CHECK(with.utilisation - without.utilisation > 0.316);
    CHECK(with.utilisation - without.utilisation < 0.45);
}
