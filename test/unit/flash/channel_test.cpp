// SPDX-License-Identifier: Apache-2.0
// Checks requests of one channel against times derived by hand (Cambricon-LLM, section IV and
// figure 6).
#include "test/unit/flash/random.hpp"
#include "test/unit/flash/timeline.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

using namespace levee::flash;
using namespace levee::flash::test;

namespace {

constexpr std::uint32_t page = 16384, input = 256, result = 64;

Request read_of(std::uint32_t die, std::uint32_t plane)
{
    return {RequestKind::Read, die, plane, 0, page, 0};
}

Request compute_of(std::uint32_t die, std::uint32_t plane, std::uint32_t macs = page)
{
    return {RequestKind::ReadCompute, die, plane, 0, result, macs};
}

void submit_compute(Channel& channel, std::uint32_t plane, Time at = 0)
{
    const Request one[] = {compute_of(0, plane)};
    channel.submit_tile(one, input, at);
}

/// Runs the requests of figure 6 on one die: four read-computes on plane 0 and, from 30 us on, a
/// read on plane 1.
Recorded figure_6(bool with_read, TimingConfig config)
{
    Recorded recorded(geometry(1, 1, 2), config);
    for (int i = 0; i < 4; ++i)
        submit_compute(recorded.channel, 0);
    if (with_read)
        recorded.channel.submit(read_of(0, 1), 30 * us);
    recorded.channel.run();
    recorded.channel.on_span = nullptr;
    return recorded;
}

TimingConfig any_config(Random& random)
{
    TimingConfig config = cambricon();
    config.slice_bytes = static_cast<std::uint32_t>(random.below(3) * 2048);
    config.command = random.below(2) * 290'000;
    config.paired_command = config.command * 3;
    config.arbitration = static_cast<Arbitration>(random.below(3));
    config.planes = static_cast<PlaneCommands>(random.below(2));
    config.cache_read = random.below(2) == 0;
    config.input_ahead = random.below(2) == 0;
    return config;
}

void submit_at_random(Channel& channel, std::uint32_t dies, Random& random)
{
    for (int i = 0; i < 60; ++i) {
        const auto die = static_cast<std::uint32_t>(random.below(dies));
        const auto plane = static_cast<std::uint32_t>(random.below(2));
        const Time at = random.below(500) * us;
        const std::uint64_t kind = random.below(20);
        const Request one[] = {compute_of(die, plane)};
        if (kind == 0)
            channel.submit({RequestKind::Program, die, plane, 0, page, 0}, at);
        else if (kind < 10)
            channel.submit({RequestKind::Read, die, plane, die, page, 0}, at);
        else
            channel.submit_tile(one, input, at);
    }
}

struct Sizes {
    std::uint32_t input, result;
};

/// Returns the largest number of bytes in a core's buffer, for requests of one tile each.
std::int64_t most_buffered(const Recorded& recorded, std::uint32_t die,
                           const std::map<std::uint32_t, Sizes>& sizes)
{
    std::map<Time, std::int64_t> change;
    for (const Span& span : recorded.spans) {
        const auto its = sizes.find(span.request);
        if (span.die != die || its == sizes.end())
            continue;
        if (span.step == Step::Input)
            change[span.from] += its->second.input;
        if (span.step == Step::Compute) {
            change[span.from] += its->second.result;
            change[span.to] -= its->second.input;
        }
        if (span.step == Step::Result)
            change[span.to] -= its->second.result;
    }
    std::int64_t held = 0, most = 0;
    for (const auto& [time, by] : change)
        most = std::max(most, held += by);
    return most;
}

/// Returns the transfers on the bus. A command to several planes counts as one.
std::vector<Span> bus_of(const Recorded& recorded)
{
    std::vector<Span> bus;
    for (const Span& span : recorded.spans)
        if (is_on_bus(span.step) &&
            (span.step != Step::Command || bus.empty() || bus.back().from != span.from))
            bus.push_back(span);
    return bus;
}

} // namespace

TEST_CASE("a read takes tR, then its page's transfer, during which the next page is sensed")
{
    Recorded recorded(geometry(1, 1, 1), cambricon());
    for (int i = 0; i < 3; ++i)
        recorded.channel.submit(read_of(0, 0), 0);
    SECTION("with cache read the array never waits")
    {
        CHECK(recorded.channel.run() == 3 * 30 * us + 16'384'000);
        CHECK(recorded.of(Step::Sense)[2].from == 60 * us);
    }
    SECTION("without, the register is held until the data are out")
    {
        TimingConfig config = cambricon();
        config.cache_read = false;
        Recorded held(geometry(1, 1, 1), config);
        for (int i = 0; i < 3; ++i)
            held.channel.submit(read_of(0, 0), 0);
        CHECK(held.channel.run() == 3 * (30 * us + 16'384'000));
    }
}

TEST_CASE("two planes sense at the same time, and share the channel")
{
    Recorded recorded(geometry(1, 1, 2), cambricon());
    for (std::uint32_t i = 0; i < 4; ++i)
        recorded.channel.submit(read_of(0, i % 2), 0);
    // The bus is the bottleneck after the first page is sensed: 30 us, then the transfer of four
    // pages.
    CHECK(recorded.channel.run() == 30 * us + 4 * 16'384'000);
    const std::vector<Span> senses = recorded.of(Step::Sense);
    CHECK(senses[0].from == 0);
    CHECK(senses[1].from == 0);
}

TEST_CASE("figure 6 a: four read-computes, with a period of tR and the input's time")
{
    const Recorded a = figure_6(false, cambricon());
    const std::vector<Span> senses = a.of(Step::Sense), computes = a.of(Step::Compute);
    REQUIRE(senses.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(senses[i].from == i * 30'256'000 + 256'000);
        CHECK(computes[i].from == senses[i].to);
        CHECK(computes[i].to - computes[i].from <= 30 * us);
    }
    CHECK(a.channel.counts().last_compute == computes[3].to + 64'000);
    CHECK(a.channel.counts().bus_busy == 4 * 320'000);
}

TEST_CASE("figure 6 b and c: read-computes wait for an unsliced page, or only for a slice")
{
    const Time alone = figure_6(false, cambricon()).channel.counts().last_compute;
    TimingConfig unsliced = cambricon();
    unsliced.slice_bytes = 0;
    unsliced.arbitration = Arbitration::FirstCome;
    const Recorded b = figure_6(true, unsliced), c = figure_6(true, cambricon());
    // The page is ready at 60 us, the first result about 256 ns later, and the third input at
    // 60.512 us. The result and the input wait until 76.384 us.
    CHECK(b.of(Step::Result)[0].from == 76'384'000);
    CHECK(b.of(Step::Input)[2].from == 76'448'000);
    CHECK(b.channel.counts().last_compute == alone + 76'448'000 - 60'512'000);
    // With slices of 2.048 us, they wait only until 62.048 us.
    CHECK(c.of(Step::Result)[0].from == 62'048'000);
    CHECK(c.of(Step::Input)[2].from == 62'112'000);
    CHECK(c.channel.counts().last_compute == alone + 1'600'000);
    CHECK(c.of(Step::DataOut).size() == 8);
    CHECK(c.channel.counts().last_read == 60 * us + 16'384'000 + 320'000);
}

TEST_CASE("the second plane's read-compute waits for the core")
{
    Recorded recorded(geometry(1, 1, 2), cambricon());
    submit_compute(recorded.channel, 0);
    submit_compute(recorded.channel, 1);
    recorded.channel.run();
    const std::vector<Span> senses = recorded.of(Step::Sense),
                            computes = recorded.of(Step::Compute);
    CHECK(senses[1].to == 30'512'000); // The page is sensed at the same time as the first one.
    CHECK(computes[1].from == computes[0].to);
}

TEST_CASE("a slower core leaves gaps between the pages that it processes")
{
    TimingConfig config = cambricon();
    config.core_macs_per_second /= 2; // A page takes 60 us.
    const Recorded slow = figure_6(false, config);
    const std::vector<Span> senses = slow.of(Step::Sense), computes = slow.of(Step::Compute);
    for (std::size_t i = 1; i < 4; ++i) {
        CHECK(computes[i].from == computes[i - 1].to); // The core is the bottleneck.
        CHECK(senses[i].from > senses[i - 1].to);
    }
    // Section IV-B: 16 KB in 20 us are 1.6 GOPS, or 0.8 G multiply-accumulates a second.
    config.core_macs_per_second = 819'200'000;
    CHECK(config.compute(16384) == 20 * us);
}

TEST_CASE("a tile's input goes to all its cores at once, so a channel's bytes are W/ch + H")
{
    Recorded recorded(geometry(2, 2, 2), cambricon());
    std::vector<Request> tile;
    for (std::uint32_t die = 0; die < 4; ++die)
        tile.push_back(compute_of(die, 0));
    recorded.channel.submit_tile(tile, input, 0);
    recorded.channel.run();
    CHECK(recorded.of(Step::Input).size() == 1);
    for (const Span& span : recorded.of(Step::Sense))
        CHECK(span.from == 256'000);
    const ChannelCounts& counts = recorded.channel.counts();
    CHECK(counts.input_bytes + counts.result_bytes == input + 4 * result);
    CHECK(counts.buffered_bytes == 4 * input);
    CHECK(counts.macs == 4 * page);
}

TEST_CASE("a core's buffer limits the requests in flight, and refuses those that never fit")
{
    TimingConfig config = cambricon();
    config.in_flight = 100;
    config.input_ahead = true;
    config.buffer_bytes = 3 * input + result;
    Recorded recorded(geometry(1, 1, 1), config);
    for (int i = 0; i < 8; ++i)
        submit_compute(recorded.channel, 0);
    recorded.channel.run();
    const std::vector<Span> inputs = recorded.of(Step::Input), results = recorded.of(Step::Result);
    CHECK(inputs[2].from == 2 * 256'000); // Three inputs and a result fit.
    for (std::size_t i = 3; i < 8; ++i)
        CHECK(inputs[i].from == results[i - 3].to);
    const Request one[] = {compute_of(0, 0)};
    CHECK_THROWS_AS(recorded.channel.submit_tile(one, config.buffer_bytes - result + 1, 0),
                    std::invalid_argument);
}

TEST_CASE("a result occupies the buffer from the start of its computation: figure 13's tile of "
          "4096 x 128")
{
    // An input has 16 bytes and a result 1024. Two inputs and one result fit into 2 KiB; two
    // results do not.
    const Request tall[] = {{RequestKind::ReadCompute, 0, 0, 0, 1024, page}};
    Recorded recorded(geometry(1, 1, 2), cambricon());
    for (int i = 0; i < 6; ++i)
        recorded.channel.submit_tile(tall, 16, 0);
    recorded.channel.run();
    const std::vector<Span> senses = recorded.of(Step::Sense),
                            computes = recorded.of(Step::Compute),
                            results = recorded.of(Step::Result);
    CHECK(senses[1].from == 30 * us + 2 * 16'000); // Sensing begins during the first computation.
    for (std::size_t i = 1; i < 6; ++i) {
        CHECK(computes[i].from >= senses[i].to);
        CHECK(computes[i].from == results[i - 1].to); // The end of a result frees the buffer.
    }
    // A period is a computation and the transfer of its result. Without overlap with sensing it
    // would be 61 us.
    CHECK(computes[5].from - computes[4].from == computes[4].to - computes[4].from + 1'024'000);
}

TEST_CASE("inputs never occupy the space of the results that they cause")
{
    Random random(17);
    for (int round = 0; round < 200; ++round) {
        TimingConfig config = any_config(random);
        config.in_flight = static_cast<std::uint32_t>(1 + random.below(6));
        config.buffer_bytes = 1024;
        Recorded recorded(geometry(1, 2, 2), config);
        std::map<std::uint32_t, Sizes> sizes;
        for (int i = 0; i < 30; ++i) {
            const auto in = static_cast<std::uint32_t>(1 + random.below(1000));
            const auto out = static_cast<std::uint32_t>(1 + random.below(1024 - in));
            const Request one[] = {{RequestKind::ReadCompute,
                                    static_cast<std::uint32_t>(random.below(2)),
                                    static_cast<std::uint32_t>(random.below(2)), 0, out, page}};
            sizes[recorded.channel.submit_tile(one, in, random.below(300) * us)] = {in, out};
        }
        recorded.channel.run();
        REQUIRE(recorded.channel.pending() == 0); // No core waits forever.
        for (std::uint32_t die = 0; die < 2; ++die)
            REQUIRE(most_buffered(recorded, die, sizes) <= config.buffer_bytes);
    }
}

TEST_CASE("with inputs sent ahead, the next page is sensed without a gap")
{
    TimingConfig config = cambricon();
    config.input_ahead = true;
    const Recorded ahead = figure_6(false, config);
    CHECK(ahead.of(Step::Sense)[1].from == ahead.of(Step::Sense)[0].to);
}

TEST_CASE("programs and erases occupy their plane, and reads go before them")
{
    Recorded recorded(geometry(1, 1, 2), cambricon());
    recorded.channel.submit({RequestKind::Erase, 0, 0, 0, 0, 0}, 0);
    recorded.channel.submit({RequestKind::Program, 0, 0, 0, page, 0}, 1000);
    recorded.channel.submit(read_of(0, 0), 1000); // The erase begins before the read is submitted.
    recorded.channel.submit(read_of(0, 1), 1000); // This read is on another plane.
    recorded.channel.run();
    const std::vector<Span> senses = recorded.of(Step::Sense);
    CHECK(senses[0].plane == 1);
    CHECK(senses[0].from == 1000);
    CHECK(senses[1].from == 3000 * us); // The read runs after the erase and before the program.
    // The page leaves the data register at 3030 us. The data of the program follow it.
    CHECK(recorded.of(Step::Program)[0].to == 3030 * us + 2 * 16'384'000 + 600 * us);
    CHECK(recorded.channel.counts().requests[2] == 1);
    CHECK(recorded.channel.counts().requests[3] == 1);
}

TEST_CASE("at any load, one transfer at a time, and one page per core and per plane's array")
{
    Random random(5);
    for (int round = 0; round < 200; ++round) {
        const TimingConfig config = any_config(random);
        const Geometry shape = geometry(static_cast<std::uint32_t>(1 + random.below(3)),
                                        static_cast<std::uint32_t>(1 + random.below(2)), 2);
        Recorded recorded(shape, config);
        submit_at_random(recorded.channel, shape.dies_per_channel(), random);
        recorded.channel.run();
        REQUIRE(recorded.channel.pending() == 0);
        REQUIRE(Recorded::are_apart(bus_of(recorded)));
        for (std::uint32_t die = 0; die < shape.dies_per_channel(); ++die) {
            std::vector<Span> core, array;
            for (const Span& span : recorded.spans) {
                if (span.die == die && span.step == Step::Compute)
                    core.push_back(span);
                if (span.die == die && span.plane == 0 &&
                    (span.step == Step::Sense || span.step == Step::Program))
                    array.push_back(span);
            }
            REQUIRE(Recorded::are_apart(core));
            REQUIRE(Recorded::are_apart(array));
        }
    }
}

TEST_CASE("requests to parts that do not exist are refused")
{
    Channel channel(geometry(1, 2, 2), cambricon());
    CHECK_THROWS_AS(channel.submit(read_of(2, 0), 0), std::invalid_argument);
    CHECK_THROWS_AS(channel.submit(read_of(0, 2), 0), std::invalid_argument);
    CHECK_THROWS_AS(channel.submit(compute_of(0, 0), 0), std::invalid_argument);
    TimingConfig config = cambricon();
    config.core_macs_per_second = 0;
    Channel coreless(geometry(1, 2, 2), config);
    const Request one[] = {compute_of(0, 0)};
    CHECK_THROWS_AS(coreless.submit_tile(one, input, 0), std::invalid_argument);
}
