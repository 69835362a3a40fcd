// SPDX-License-Identifier: Apache-2.0
// Schedules of streams at given clocks and paces, held to the clock by the cycle-level controller.
#include "test/unit/dram/decoders.hpp"
#include "test/unit/dram/mixes.hpp"

#include <catch2/catch.hpp>

using namespace levee;
using namespace levee::dram_test;

namespace {

/// The streams that the schedule ends at another clock than the cycle-level model.
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
    // Seeds that once differed: turns after a stream's end, turns cut short by a pace, refreshes
    // chosen anew by arrivals of a later clock, rows opened in a bank just stopped for a refresh.
    const auto memory = GENERATE(
        Case{"lpddr4", "", {3, 4}}, Case{"lpddr5", "", {3, 6}}, Case{"ddr4", "", {3, 4}},
        Case{"ddr5", "", {3, 4, 11}}, Case{"hbm2", "", {1, 4, 9}},
        Case{"lpddr5", "refresh_rate: 2x", {303, 320}}, Case{"lpddr4", "refresh: all_bank", {1}});
    const dram::Parameters parameters = scheduled(memory.standard, memory.more);
    for (const unsigned seed : memory.seeds) {
        INFO(memory.standard << " " << memory.more << ", seed " << seed);
        CHECK(differences(parameters, Decoder(parameters, seed).draw()).empty());
    }
}

TEST_CASE(
    "each stream of a drawn mix, with paces of its own, ends at the cycle-level model's clock",
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
