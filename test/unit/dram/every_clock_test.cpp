// SPDX-License-Identifier: Apache-2.0
// Compares schedules of streams that have given starts and paces with the cycle-level controller,
// clock by clock.
#include "test/unit/dram/decoders.hpp"
#include "test/unit/dram/mixes.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::dram_test;

namespace {

/// Lists the streams whose ends differ between the schedule and the cycle-level model, even by a
/// clock.
std::string differences(const dram::Parameters& parameters, const std::vector<Stream>& streams)
{
    const std::vector<Picoseconds> fast = Replay(parameters, streams).run();
    const std::vector<Picoseconds> cycle = CycleDram(parameters).run(streams).completed;
    std::string text;
    for (std::size_t i = 0; i < streams.size(); ++i)
        if (fast[i] != cycle[i])
            text += " stream " + std::to_string(i) + " at " + std::to_string(fast[i]) + " for " +
                    std::to_string(cycle[i]) + " ps;";
    return text;
}

struct Case {
    std::string standard, more;
    std::vector<unsigned> seeds;
};

} // namespace

TEST_CASE("each transfer of a decoder ends at the cycle-level model's clock", "[schedule]")
{
    // Seeds on which both models once differed. They exercise bus turns after a stream's end, and
    // turns that a pace cuts short. They also exercise refreshes whose choice changes after later
    // arrivals, and rows that were opened just before their bank was stopped for a refresh. Seed
    // 209 has refreshes of two ranks that are possible in the same clock.
    const auto memory = GENERATE(
        Case{"lpddr4", "", {3, 4}}, Case{"lpddr5", "", {3, 6}}, Case{"ddr4", "", {3, 4}},
        Case{"ddr5", "", {3, 4, 11}}, Case{"hbm2", "", {1, 4, 9}},
        Case{"lpddr5", "refresh_rate: 2x", {303, 320}}, Case{"lpddr4", "refresh: all_bank", {1}},
        Case{"lpddr4", "channels: 3\nrefresh_rate: 2x", {209}});
    const dram::Parameters parameters = scheduled(memory.standard, memory.more);
    for (const unsigned seed : memory.seeds) {
        INFO(memory.standard << " " << memory.more << ", seed " << seed);
        CHECK(differences(parameters, Decoder(parameters, seed).draw()).empty());
    }
}

TEST_CASE("each stream of a random mix with paces ends at the cycle-level model's clock",
          "[schedule]")
{
    const std::string name = GENERATE("lpddr4", "lpddr5", "lpddr6", "gddr7", "hbm3");
    const dram::Parameters parameters = scheduled(name);
    for (unsigned seed = 1; seed <= 6; ++seed) {
        INFO(name << ", seed " << seed);
        CHECK(
            differences(parameters, Mixes(parameters, {64, 16 * KiB, true}, seed).draw()).empty());
    }
}

TEST_CASE("columns on a separate bus continue until the row bus is free for a refresh",
          "[schedule]")
{
    const std::string hot = "channels: 1\nrefresh: all_bank\nrefresh_rate: 2x";
    for (const Case& memory : {Case{"hbm2", "channels: 1", {13}}, Case{"hbm3", hot, {11, 17, 25}},
                               Case{"gddr7", hot, {7}}}) {
        dram::Parameters parameters = scheduled(memory.standard, memory.more);
        parameters.controller.refresh_slack = 1; // Each due refresh stops banks at once.
        for (const unsigned seed : memory.seeds) {
            INFO(memory.standard << ", seed " << seed);
            CHECK(differences(parameters, Mixes(parameters, {64, 64 * KiB, true}, seed).draw())
                      .empty());
        }
    }
}

TEST_CASE("a run's activities end as in the cycle-level model, also at paces of whole clocks",
          "[schedule]")
{
    // A pace of 12.8 bytes a clock, rounded down a little, requests a burst in every fifth clock.
    // With seeds 2 and 7, bursts are in flight when another stream ends. With seeds 3 and 6,
    // streams stall and then catch up. With seeds 25 and 43, a stream is held up at its very end
    // until rounding leaves nothing of its activity. Seed 19 of LPDDR5, HBM2, GDDR7 and DDR5 starts
    // streams in the clock in which another one ends.
    const auto memory =
        GENERATE(Case{"lpddr4", "", {1, 2, 3, 6, 7}}, Case{"ddr4", "", {1, 2, 3, 6, 7}},
                 Case{"ddr5", "", {19, 25, 43}}, Case{"lpddr5", "", {5, 19, 20, 26, 56}},
                 Case{"hbm2", "", {27, 30, 53}}, Case{"gddr7", "", {55}});
    const dram::Parameters parameters = scheduled(memory.standard);
    const auto burst =
        static_cast<Picoseconds>(parameters.burst_bytes() * 1e12 *
                                 parameters.organisation.channels / parameters.peak_bytes_per_s());
    for (const unsigned seed : memory.seeds) {
        const std::vector<Stream> streams = at_clocks(parameters, Decoder(parameters, seed).draw());
        dram::DramTiming timing("dram", parameters);
        for (const Took& took : times_of(streams, fast_completions(timing, streams),
                                         ends_of_activities(parameters, streams))) {
            const Picoseconds off =
                std::max(took.fast, took.cycle) - std::min(took.fast, took.cycle);
            CAPTURE(seed, took.fast, took.cycle);
            CHECK((off <= burst || std::abs(took.ratio() - 1.0) <= 0.01));
        }
    }
}

TEST_CASE("a stream that starts in the clock of another one's end makes its first request then",
          "[schedule]")
{
    const dram::Parameters parameters = scheduled("hbm2");
    const Picoseconds period = parameters.timing.clock;
    const dram::Clocks clocks = dram::clocks(parameters);
    const Stream ends = sequential(R, 0, 64);
    // The clock of the last read command.
    const Picoseconds end = CycleDram(parameters).run({ends}).completed[0] -
                            parameters.controller.latency -
                            (clocks.read_latency + clocks.burst) * period;
    for (const Picoseconds start : {end - period, end - 1, end, end + period}) {
        Stream starts = sequential(R, 4 * MiB, 2 * KiB); // The stream uses all channels.
        starts.start = start;
        dram::DramTiming timing("dram", parameters);
        CAPTURE(end / period, start);
        CHECK(fast_completions(timing, {ends, starts}) ==
              CycleDram(parameters).run({ends, starts}).completed);
    }
}
