// SPDX-License-Identifier: Apache-2.0
// Compares the shipped standards with arithmetic on their datasheets.
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::dram_test;

namespace {

/// Returns one endless read stream's share of the peak bandwidth, by the model's price.
double share_of_peak(const dram::Parameters& p)
{
    dram::DramTiming timing("dram", p);
    const FlowUse use{&timing, Direction::Read, {0, 64 * MiB}, 64 * MiB};
    const FlowUse* const mix[] = {&use};
    const StreamDemand demand[] = {{std::numeric_limits<double>::infinity()}};
    double ps_per_byte[] = {0.0};
    timing.price(mix, demand, ps_per_byte);
    return 1e12 / ps_per_byte[0] / p.peak_bytes_per_s();
}

/// Returns the same share from the times in the file. A refresh of all banks leaves the bus
/// idle from the last read before it to the first read after it. The time of one burst is not
/// lost.
double share_by_times(const dram::Parameters& p)
{
    if (p.refresh == dram::RefreshMode::PerBank)
        return 1.0;
    const dram::Timing& t = p.timing;
    double lost =
        -1e12 * p.organisation.burst_length / static_cast<double>(p.organisation.data_rate);
    for (const Picoseconds time : {t.rtp, t.rp_all, t.rfc_all, t.rcd_read})
        // The time is rounded up to whole clocks.
        lost += static_cast<double>((time + t.clock - 1) / t.clock * t.clock);
    if (p.command_bus.activate_window > 0) // tRCD counts from the second command.
        lost += static_cast<double>(p.command_bus.activate_clocks / 2 * t.clock);
    return 1.0 - lost / static_cast<double>(t.refi);
}

/// Returns the names of all preset files, so that new presets are tested, too.
std::set<std::string> presets_found()
{
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(LEVEE_DRAM_STANDARDS))
        if (file.path().extension() == ".yaml")
            names.insert(file.path().stem().string());
    return names;
}

} // namespace

TEST_CASE("each preset in the folder streams as fast as its own times permit", "[presets]")
{
    const std::set<std::string> names = presets_found();
    REQUIRE(names.contains("lpddr6"));
    for (const std::string& name : names) {
        INFO(name);
        const dram::Parameters p = standard(name);
        CHECK(share_of_peak(p) == Approx(share_by_times(p)).epsilon(0.01));
    }
}

TEST_CASE("presets stream at the rate calculated from their datasheets", "[presets]")
{
    // All banks are refreshed once every tREFI. Between the last read before a refresh and the
    // first read after it pass tRTP, tRPab, tRFCab, the second part of an activate (LPDDR6) and
    // tRCD. Without refresh one burst would pass.
    struct Preset {
        const char* name;
        double gigabytes_per_s;             ///< peak rate: width x data rate
        double lost_clocks, refresh_clocks; ///< Clocks lost in each interval, and the interval
                                            ///< itself.
    };
    const Preset presets[] = {
        // 96 bits at 10,667 MT/s, of which 32 of 36 bytes are data: 113.8 GB/s. A clock is 0.375
        // ns.
        {"lpddr6", 10.667 * 96 / 8 * 32 / 36, 14 + 115 + 1014 + 2 + 48 - 6, 3906 / 0.375},
        {"gddr6", 14.0 * 256 / 8, 4 + 27 + 210 + 27 - 2, 1900 / 0.572},
        // GDDR6's times of 2.3, 15.4, 120 and 15.4 ns, in clocks of 0.381 ns.
        {"gddr6x", 21.0 * 384 / 8, 7 + 41 + 315 + 41 - 2, 1900 / 0.381},
        {"gddr7", 28.0 * 256 / 8, 5 + 26 + 209 + 27 - 2, 1900 / 0.572},
        {"hbm4", 8.0 * 2048 / 8, 12 + 33 + 900 + 39 - 2, 3900 / 0.5},
        {"ddr4", 3.2 * 128 / 8, 12 + 22 + 560 + 22 - 4, 7800 / 0.625},
        {"ddr5", 4.8 * 64 / 8, 18 + 40 + 708 + 40 - 8, 3900 / 0.417},
    };
    for (const Preset& preset : presets) {
        INFO(preset.name);
        const dram::Parameters p = standard(preset.name);
        CHECK(p.peak_bytes_per_s() == Approx(preset.gigabytes_per_s * 1e9));
        REQUIRE(p.refresh == dram::RefreshMode::AllBank);
        CHECK(share_of_peak(p) ==
              Approx(1.0 - preset.lost_clocks / preset.refresh_clocks).epsilon(0.01));
    }
}

TEST_CASE("presets that refresh single banks stream at their peak", "[presets]")
{
    // A bank of HBM3 is refreshed for 200 of every 244 ns, and 200 ns are as long as 160 bursts.
    // Requests that wait for the bank must not become urgent before the refresh ends.
    for (const char* const name :
         {"lpddr4", "lpddr4x", "lpddr5", "lpddr5x", "hbm2", "hbm2e", "hbm3"}) {
        INFO(name);
        const dram::Parameters p = standard(name);
        REQUIRE(p.refresh == dram::RefreshMode::PerBank);
        CHECK(share_of_peak(p) == Approx(1.0).epsilon(0.01));
    }
}

TEST_CASE("a preset streams as fast at another width", "[presets]")
{
    for (const std::string& name : presets_found())
        for (const unsigned channels : {1, 3, 5, 12, 48}) {
            INFO(name << ", " << channels << " channels");
            const dram::Parameters p = standard(name, "channels: " + std::to_string(channels));
            CHECK(share_of_peak(p) == Approx(share_by_times(p)).epsilon(0.02));
        }
}

TEST_CASE("two streams through all banks need longer for opening rows than for bursts", "[presets]")
{
    // By tFAW, 16 activates of GDDR7 take 116 clocks. Two bursts in each of 16 banks take 64.
    for (const char* const more : {"width: 32", "width: 96"}) {
        INFO(more);
        const dram::Parameters p = standard("gddr7", more);
        const std::uint64_t bytes = p.organisation.channels * 384 * KiB;
        const std::vector<Stream> mix{sequential(R, 0, bytes), sequential(R, 300 * MiB, bytes)};
        const Outcome expected = CycleDram(p).run(mix);
        REQUIRE(expected.faults.empty());
        CHECK(expected.activates < expected.reads / 6);
        dram::DramTiming timing("dram", p);
        for (const Picoseconds end : fast_completions(timing, mix))
            CHECK(static_cast<double>(end) ==
                  Approx(static_cast<double>(expected.total)).epsilon(0.1));
    }
}

TEST_CASE("new features of presets agree in both models, too", "[presets]")
{
    const std::string name = GENERATE("lpddr6", "gddr6", "gddr6x", "gddr7", "hbm4", "ddr4");
    INFO(name);
    const dram::Parameters p = standard(name, "channels: 2");
    // The streams are long enough that the few refreshes postponed at the start do not matter.
    for (const std::vector<Stream>& mix :
         {std::vector{random(R, 0, 768 * KiB, 64, 256 * MiB, 5)},
          std::vector{sequential(R, 0, MiB), sequential(W, 33 * MiB, MiB)}}) {
        const Outcome expected = CycleDram(p).run(mix);
        REQUIRE(expected.faults.empty());
        dram::DramTiming timing("dram", p);
        const std::vector<Picoseconds> ends = fast_completions(timing, mix);
        for (std::size_t i = 0; i < mix.size(); ++i)
            CHECK(static_cast<double>(ends[i]) ==
                  Approx(static_cast<double>(expected.completed[i])).epsilon(0.1));
    }
}
