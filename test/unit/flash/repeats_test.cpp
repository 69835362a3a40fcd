// SPDX-License-Identifier: Apache-2.0
// Tests that operations whose requests were simulated before have the same times and counts as
// operations whose every request is simulated.
#include "ip/flash/schedule.hpp"
#include "test/unit/flash/random.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace levee::flash;
using levee::flash::test::Random;

namespace {

constexpr Geometry geometry{4, 2, 2, 2, 64, 16, 4096, 0};

/// Channels 0 and 2 are equal, 1 and 3 are slower.
std::vector<TimingConfig> channels(PlaneCommands planes)
{
    TimingConfig timing;
    timing.read = 30'000'000;
    timing.program = timing.erase = 300'000'000;
    timing.command = 100'000;
    timing.paired_command = 150'000;
    timing.channel_bytes_per_second = 1'000'000'000;
    timing.core_macs_per_second = 200'000'000;
    timing.buffer_bytes = timing.slice_bytes = 2048;
    timing.planes = planes;
    std::vector<TimingConfig> all(geometry.channels, timing);
    all[1].channel_bytes_per_second = all[3].channel_bytes_per_second = 700'000'000;
    return all;
}

/// Draws an operation that has few shapes but any pages.
levee_flash_operation any_operation(Random& random, std::uint8_t opcode)
{
    levee_flash_operation op{};
    const bool has_tiles = opcode == LEVEE_FLASH_COMPUTE || opcode == LEVEE_FLASH_FETCH;
    op.rows = has_tiles ? static_cast<std::uint32_t>(100 + 50 * random.below(3)) : 0;
    op.columns = 200;
    op.core_rows = op.core_columns = 64;
    op.weight_bits = 8;
    op.input_bytes = op.result_bytes = 1;
    op.split = static_cast<std::uint8_t>(random.below(2));
    op.page = static_cast<std::uint32_t>(random.below(3));
    op.data_plane = static_cast<std::uint8_t>(random.below(2));
    op.data_page = static_cast<std::uint32_t>(random.below(3));
    op.data_pages = static_cast<std::uint32_t>(random.below(12));
    return op;
}

std::vector<std::uint64_t> figures(Time duration, const ChannelCounts& counts)
{
    return {duration,
            counts.requests[0],
            counts.requests[1],
            counts.requests[2],
            counts.requests[3],
            counts.input_bytes,
            counts.buffered_bytes,
            counts.result_bytes,
            counts.data_out_bytes,
            counts.data_in_bytes,
            counts.commands,
            counts.macs,
            counts.bus_busy,
            counts.vector_busy,
            counts.sense_busy,
            counts.compute_busy};
}

void compare(PlaneCommands planes, const Failures& failures)
{
    Random random(7);
    Schedule repeating(geometry, channels(planes), 4096, 4500);
    Schedule simulated(geometry, channels(planes), 4096, 4500);
    std::uint64_t steps = 0;
    simulated.observe([&](std::uint32_t, const Span&) { ++steps; });
    for (int i = 0; i < 300; ++i) {
        const auto opcode =
            static_cast<std::uint8_t>(LEVEE_FLASH_COMPUTE + random.below(LEVEE_FLASH_FETCH));
        const levee_flash_operation op = any_operation(random, opcode);
        const PageAccesses pages(geometry, failures, op, 0);
        const Schedule::Outcome a = repeating.run(opcode, op, pages);
        const Schedule::Outcome b = simulated.run(opcode, op, pages);
        CHECK(figures(a.duration, a.counts) == figures(b.duration, b.counts));
    }
    CHECK(steps > 1'000);
    for (std::uint32_t channel = 0; channel < geometry.channels; ++channel)
        CHECK(figures(0, repeating.counts(channel)) == figures(0, simulated.counts(channel)));
}

} // namespace

TEST_CASE("operations with known requests take the same time as simulated ones")
{
    compare(PlaneCommands::Independent, Failures({}));
}

TEST_CASE("repeated reads that share commands of several planes take the same time")
{
    compare(PlaneCommands::Paired, Failures({}));
}

TEST_CASE("repeated operations on moved and lost pages take the same time")
{
    compare(PlaneCommands::Independent, Failures({{0, 1, 0, 0}, {2, 3, 0, {}}}));
}
