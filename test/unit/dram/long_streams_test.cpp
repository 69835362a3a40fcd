// SPDX-License-Identifier: Apache-2.0
// Tests streams by schedule that last longer than the scheduled time. Their ends are estimates that
// are revised later.
#include "test/unit/dram/decoders.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace levee;
using namespace levee::dram_test;

namespace {

Stream in_activity(unsigned activity, Stream stream)
{
    stream.activity = activity;
    return stream;
}

/// Returns the fast model's ends, after checking that they are within `margin` of the cycle-level
/// model's.
std::vector<Picoseconds> agreed_ends(const dram::Parameters& parameters,
                                     const std::vector<Stream>& streams, double margin = 0.05)
{
    const Outcome expected = CycleDram(parameters).run(streams);
    dram::DramTiming timing("dram", parameters);
    const std::vector<Picoseconds> ends = fast_completions(timing, streams);
    for (std::size_t i = 0; i < streams.size(); ++i) {
        // An activity ends with the last of its streams.
        Picoseconds end = expected.completed[i];
        for (std::size_t k = 0; k < streams.size(); ++k)
            if (streams[i].activity != 0 && streams[k].activity == streams[i].activity)
                end = std::max(end, expected.completed[k]);
        INFO("stream " << i << ": " << ends[i] << " ps, cycle by cycle " << end);
        CHECK(static_cast<double>(ends[i]) == Approx(static_cast<double>(end)).epsilon(margin));
    }
    return ends;
}

} // namespace

TEST_CASE(
    "a short stream holds up a long one of its activity no longer than in the cycle-level model",
    "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "hbm2");
    const dram::Parameters parameters = scheduled(name, "channels: 1");
    const Direction direction = GENERATE(R, W);
    // The stream requests 1 KiB at once, as far ahead as it may. After that it requests less than a
    // burst in a look-ahead, which has at most 2,048 bursts.
    agreed_ends(parameters, {in_activity(1, sequential(R, 0, 4 * MiB)),
                             in_activity(1, sequential(direction, 100 * MiB, KiB + 512))});
}

TEST_CASE("an activity at its block's pace keeps this pace, however short one of its streams is",
          "[schedule]")
{
    // Weights, scales and a result, as in a product whose speed the array limits.
    const dram::Parameters parameters = scheduled("lpddr4", "channels: 1");
    std::vector<Stream> product{
        in_activity(1, sequential(R, 0, MiB)),
        in_activity(1, sequential(R, 64 * MiB, KiB + 512)),
        in_activity(1, strided(W, 100 * MiB, 32 * KiB, 512, 16 * KiB)),
    };
    const double peak = parameters.peak_bytes_per_s() / 1e12;
    for (Stream& stream : product)
        stream.least_time = static_cast<Picoseconds>(4 * MiB / peak);
    const Picoseconds end = agreed_ends(parameters, product, 0.01).front();
    CHECK(static_cast<double>(end) == Approx(4 * MiB / peak).epsilon(0.001));
}

TEST_CASE("a slow stream of a few bytes does not hide another stream's end", "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    Stream tiny = sequential(R, 0, 32);
    tiny.least_time = 100'000'000; // This is the pace of its block.
    tiny.start = 2'000'000;
    const Stream other = sequential(GENERATE(R, W), 64 * MiB, 2 * MiB);
    const Outcome expected = CycleDram(parameters).run({other, tiny});
    dram::DramTiming timing("dram", parameters);
    const std::vector<Picoseconds> ends = fast_completions(timing, {other, tiny});
    CHECK(static_cast<double>(ends[0]) ==
          Approx(static_cast<double>(expected.completed[0])).epsilon(0.05));
    // The stream ends at its block's pace, not with its bytes.
    CHECK(static_cast<double>(ends[1]) == Approx(102e6).epsilon(0.01));
}

TEST_CASE("streams slower than a burst per look-ahead end at their pace", "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    const std::uint64_t bytes = GENERATE(128, 512, 3008);
    Stream slow = sequential(R, 0, bytes);
    // A burst of 32 bytes takes 6.4 us; half of a scheduled interval is 7.8 us.
    slow.least_time = bytes * 200'000;
    Stream slower = in_activity(1, strided(W, 64 * MiB, bytes, 32, 4096));
    slower.least_time = 3 * slow.least_time;
    const Stream with_it = in_activity(1, sequential(R, 96 * MiB, 20));
    dram::DramTiming timing("dram", parameters);
    const std::vector<Picoseconds> ends = fast_completions(timing, {slow, slower, with_it});
    CHECK(static_cast<double>(ends[0]) ==
          Approx(static_cast<double>(slow.least_time)).epsilon(0.01));
    CHECK(static_cast<double>(ends[1]) ==
          Approx(static_cast<double>(slower.least_time)).epsilon(0.01));
}

TEST_CASE("a long stream is scheduled for some megabytes, then estimated, and scheduled again",
          "[schedule]")
{
    const dram::Parameters parameters = scheduled("lpddr4");
    dram::DramTiming timing("dram", parameters);
    Activity activity;
    activity.uses = {FlowUse{&timing, R, sequential(R, 0, 1024 * MiB).pattern, 1024 * MiB}};
    FlowNetwork network;
    network.start(activity, 0);
    Picoseconds last = 0;
    unsigned looks = 0, estimates = 0;
    while (!network.running().empty()) {
        const Picoseconds now = network.next_event();
        // A scheduled interval lasts at most 4 refresh intervals.
        const bool is_estimate = now - last > 5 * parameters.timing.refi;
        if (is_estimate) { // The interval is at most a few times the time observed so far.
            CHECK(static_cast<double>(last) > 7.0 * MiB / (parameters.peak_bytes_per_s() / 1e12));
            CHECK(static_cast<double>(now) <= 6.1 * static_cast<double>(last));
        }
        estimates += is_estimate ? 1 : 0;
        last = now;
        ++looks;
        network.finish_due(now, [](Activity&) {});
    }
    CHECK(estimates >= 2);
    CHECK(looks < 40);
    const auto peak = 1024.0 * MiB / (parameters.peak_bytes_per_s() / 1e12);
    CHECK(static_cast<double>(last) == Approx(peak).epsilon(0.1));
}

TEST_CASE("streams of megabytes end at the cycle-level model's clock", "[schedule]")
{
    const dram::Parameters parameters = scheduled(GENERATE("lpddr4", "lpddr5"), "channels: 2");
    Stream late = sequential(R, 96 * MiB, MiB);
    late.start = 3'000'000;
    const std::vector<Stream> streams{sequential(R, 0, MiB), sequential(W, 64 * MiB, MiB / 2),
                                      late};
    const Outcome expected = CycleDram(parameters).run(streams);
    dram::DramTiming timing("dram", parameters);
    const std::vector<Picoseconds> ends = fast_completions(timing, streams);
    for (std::size_t i = 0; i < streams.size(); ++i)
        CHECK(static_cast<double>(ends[i]) ==
              Approx(static_cast<double>(expected.completed[i]))
                  .margin(2.0 * static_cast<double>(parameters.timing.clock)));
}

TEST_CASE("estimates with all-bank refresh are within 1 % of schedules of each burst", "[schedule]")
{
    // Hot memories, whose refreshes take a third of the time. Each mix lasts far longer than the
    // scheduled time.
    const std::string name = GENERATE("lpddr4", "ddr5", "gddr6x");
    const dram::Parameters parameters =
        scheduled(name, "{channels: 1, refresh: all_bank, refresh_rate: 4x}");
    // The scales move a burst in more than an interval of refresh, as their block's pace is far
    // above the memory's.
    std::vector<Stream> product{in_activity(1, sequential(R, 0, 24 * MiB)),
                                in_activity(1, sequential(R, 64 * MiB, 8 * KiB))};
    for (Stream& stream : product)
        stream.least_time = 1'000'000;
    const std::vector<std::vector<Stream>> mixes{
        product,
        {sequential(R, 0, 4 * MiB), sequential(W, 64 * MiB, 4 * MiB)},
        {strided(R, 0, 4 * MiB, 256, 4096), sequential(R, 64 * MiB, 4 * MiB)},
    };
    for (const std::vector<Stream>& streams : mixes) {
        const std::vector<Picoseconds> expected = Replay(parameters, streams).run();
        dram::DramTiming timing("dram", parameters);
        const std::vector<Picoseconds> ends = fast_completions(timing, streams);
        INFO(name << ", " << streams.size() << " streams");
        CHECK(static_cast<double>(*std::ranges::max_element(ends)) ==
              Approx(static_cast<double>(*std::ranges::max_element(expected))).epsilon(0.01));
    }
}

TEST_CASE("a memory that is refreshed most of the time is scheduled, and not refused as stopped",
          "[schedule]")
{
    // Between two refreshes there is time for a few bursts, so a stream waits for several of them.
    const std::string name = GENERATE("gddr6", "gddr7");
    const dram::Parameters parameters =
        scheduled(name, "{data_rate: 800 MT/s, channels: 1, refresh: all_bank, refresh_rate: 4x}");
    agreed_ends(parameters,
                {sequential(R, 0, 64 * KiB), sequential(R, 32 * MiB, 64 * KiB),
                 sequential(W, 64 * MiB, 64 * KiB)},
                0.01);
}

TEST_CASE("a stream that makes no progress is an error, not an end", "[schedule]")
{
    dram::Parameters parameters = scheduled("lpddr4");
    // The scenario reader refuses this setting, because no write would ever be accepted.
    parameters.controller.write_queue = 0;
    const dram::Clocks clocks = dram::clocks(parameters);
    const dram::AddressMap map(parameters);
    dram::RunningMix mix(parameters, clocks, map);
    const FlowUse use{nullptr, W, sequential(W, 0, MiB).pattern, MiB};
    std::vector<ScheduledStream> streams(1);
    streams[0].use = &use;
    streams[0].bytes_per_ps = GENERATE(0.01, 1e9);
    // The error is reported after the longest time that a burst could wait. Because of queues,
    // overtaking and turns, 201 other bursts could be served first, each in a separate refresh
    // interval.
    CHECK_THROWS_WITH(mix.change(0, streams),
                      Catch::Contains("1048576 bytes moved none of them in 788507000 ps"));
}
