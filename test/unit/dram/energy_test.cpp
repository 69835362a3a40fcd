// SPDX-License-Identifier: Apache-2.0
// Checks the number of DRAM commands against a count of every burst, and the energy of each command
// against figures derived by hand from currents.
#include "ip/dram/burst_counter.hpp"
#include "ip/dram/burst_walk.hpp"
#include "ip/dram/datasheet_reader.hpp"
#include "ip/dram/power.hpp"
#include "ip/dram/self_refresh.hpp"
#include "ip/dram/stream_activity.hpp"
#include "test/unit/dram/support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>

using namespace levee;
using namespace levee::dram_test;
using Catch::Matchers::Contains;

namespace {

/// Computes energies from the shipped datasheets.
dram::CommandEnergies energies(const dram::Parameters& parameters)
{
    const std::string folder = std::string(LEVEE_DRAM_STANDARDS) + "/../energy";
    const config::FileFinder finder(folder);
    const config::Node families = config::compose(folder + "/dram/families.yaml", finder, {});
    return dram::command_energies(
        config::read_dram_datasheet(families, "currents", parameters.standard), parameters);
}

double pj(const dram::CommandEnergy& energy)
{
    return static_cast<double>(energy.zeptojoules) / static_cast<double>(energy.count) * 1e-9;
}
/// Converts energy per picosecond to watts.
double watts(const dram::CommandEnergy& energy)
{
    return static_cast<double>(energy.zeptojoules) / static_cast<double>(energy.count) * 1e-9;
}

/// Returns the rate of refresh commands of all channels and ranks.
double refreshes_per_s(const dram::Parameters& p)
{
    return 1e12 / static_cast<double>(p.timing.refi) * p.organisation.channels *
           p.organisation.ranks *
           (p.refresh == dram::RefreshMode::AllBank ? 1 : p.banks_per_rank());
}

/// Returns the energy per bit of an endless sequential read at peak bandwidth, including rows,
/// standby and refresh.
double streamed_pj_per_bit(const std::string& name)
{
    const dram::Parameters p = standard(name);
    const dram::CommandEnergies e = energies(p);
    const double page_bits = 8.0 * p.organisation.page_bytes;
    const double bits_per_s = 8.0 * p.peak_bytes_per_s();
    return pj(e.read_burst) / (8.0 * p.burst_bytes()) +
           (pj(e.activate) + pj(e.precharge)) / page_bits +
           (watts(e.active_standby) * 1e12 + pj(e.refresh) * refreshes_per_s(p)) / bits_per_s;
}

std::uint64_t walked_bursts(const AccessPattern& pattern, const dram::Parameters& p)
{
    std::uint64_t bursts = 0;
    for (dram::BurstWalk walk(pattern, pattern.bytes(), p.burst_bytes(), 1); !walk.done(); ++bursts)
        (void)walk.next();
    return bursts;
}

} // namespace

TEST_CASE("the counter counts the same whole bursts as a walk over them", "[commands]")
{
    const std::string name = GENERATE("lpddr4", "hbm3", "ddr5");
    const dram::Parameters p = standard(name);
    const dram::BurstCounter counter(p);
    // Access to 4 bytes moves a whole burst.
    CHECK(counter.count({0x1000, 4}, 4) == 1);
    CHECK(counter.count({0x1000 + p.burst_bytes() - 2, 4}, 4) == 2);
    std::uint64_t random = 7;
    const auto draw = [&random](std::uint64_t least, std::uint64_t most) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return least + (random >> 33) % (most - least + 1);
    };
    for (int i = 0; i < 400; ++i) {
        AccessPattern pattern;
        pattern.address = draw(0, 300);
        pattern.run_bytes = draw(1, 200);
        std::uint64_t extent = pattern.run_bytes;
        for (const std::size_t level : {2u, 1u, 0u}) {
            pattern.count[level] = draw(1, 5);
            pattern.stride[level] = static_cast<std::int64_t>(extent + draw(0, 1) * draw(0, 300));
            extent +=
                (pattern.count[level] - 1) * static_cast<std::uint64_t>(pattern.stride[level]);
        }
        INFO(pattern.address << " " << pattern.run_bytes << " x " << pattern.count[2] << " by "
                             << pattern.stride[2] << " x " << pattern.count[1] << " by "
                             << pattern.stride[1] << " x " << pattern.count[0] << " by "
                             << pattern.stride[0]);
        CHECK(counter.count(pattern, pattern.bytes()) == walked_bursts(pattern, p));
    }
}

TEST_CASE("rows are opened as often as by the cycle-level model", "[commands]")
{
    // Other streams and refreshes close rows, so a stream may open a row more than once.
    const std::string name = GENERATE("lpddr4", "lpddr5", "hbm2", "ddr5");
    const dram::Parameters p = standard(name);
    const std::vector<std::vector<dram_cycle::Stream>> mixes{
        {sequential(R, 0, 4 * MiB)},
        {strided(R, 0, 2 * MiB, 64, 4096)},
        {strided(R, 0, 3 * MiB, 1536, 2048)},
        {random(R, 0, 2 * MiB, 64, 256 * MiB, 5)},
        {sequential(R, 0, 2 * MiB), sequential(R, 48 * MiB + 20 * KiB, 2 * MiB)},
        {sequential(R, 0, 2 * MiB), sequential(W, 48 * MiB + 20 * KiB, 2 * MiB)}};
    for (const std::vector<dram_cycle::Stream>& mix : mixes) {
        const dram_cycle::Outcome cycle = dram_cycle::CycleDram(p).run(mix);
        dram::DramTiming timing("dram", p);
        dram::StreamActivity activity(timing);
        activity.enable();
        const auto completed = dram_cycle::fast_completions(timing, mix, &activity);
        const auto rows = static_cast<double>(activity.rows(*std::ranges::max_element(completed)));
        INFO(name << ", " << mix.size() << " streams, runs of " << mix[0].pattern.run_bytes);
        CHECK(rows == Approx(static_cast<double>(cycle.activates)).epsilon(0.12));
    }
}

TEST_CASE("rows that a rare write opens are counted, though few of its bursts are scheduled",
          "[commands]")
{
    const std::string name = GENERATE("lpddr4", "gddr6x", "hbm2");
    const dram::Parameters p = standard(name, "{channels: 2}");
    dram::DramTiming timing("dram", p);
    timing.count_rows();
    const dram_cycle::Stream reads = strided(R, 0, 4 * MiB, 64, 4096);
    const dram_cycle::Stream writes = sequential(W, 512 * MiB, 16 * KiB);
    const FlowUse read{&timing, R, reads.pattern, reads.bytes};
    const FlowUse write{&timing, W, writes.pattern, writes.bytes};
    const std::vector<const FlowUse*> mix{&read, &write};
    // Both streams belong to one activity.
    const std::vector<StreamDemand> demand(2, StreamDemand{1.0, 0});
    std::vector<double> ps_per_byte(2);
    timing.price(mix, demand, ps_per_byte);
    INFO(name);
    CHECK(ps_per_byte[1] > 0.0);
    CHECK(timing.rows_per_byte(write) > 0.0);
    CHECK(timing.rows_per_byte(write) <= 1.0 / p.burst_bytes());
}

TEST_CASE("the energy of each command of LPDDR4 by hand", "[power]")
{
    // A 16-bit channel is half of the datasheet's 32-bit device; mA x V x ns = pJ.
    const dram::Parameters p = standard("lpddr4");
    const dram::CommandEnergies e = energies(p);
    const double ras = 43.5, rc = 60.625; // These are times of the preset.
    CHECK(pj(e.activate) == Approx((1.25 * 1.8 + 15 * 1.1) * ras / 2));
    CHECK(pj(e.precharge) == Approx((1.5 * 1.8 + 18 * 1.1) * (rc - ras) / 2));
    // 256 bits take 5 ns at 3200 MT/s x 16 bits.
    CHECK(pj(e.read_burst) == Approx((245 * 1.1 + 149.25 * 1.1) * 5 / 2));
    CHECK(pj(e.write_burst) == Approx((180 * 1.1 + 54.25 * 1.1) * 5 / 2));
    CHECK(pj(e.refresh) == Approx((7.75 * 1.8 + 60 * 1.1) * 279 / 2 / 8)); // This is the refresh of
                                                                           // one of the 8 banks.
    // The memory has 8 channels x 2 ranks, each of half a device.
    CHECK(watts(e.active_standby) == Approx(8e-3 * (2.25 * 1.8 + 30.75 * 1.1)));
    CHECK(watts(e.idle_standby) == Approx(8e-3 * (2 * 1.8 + 27.75 * 1.1)));

    dram::Parameters all = p;
    all.refresh = dram::RefreshMode::AllBank;
    CHECK(pj(energies(all).refresh) == Approx(8 * pj(e.refresh)));
    // A burst has the same number of bits at any data rate. LPDDR4X's interface uses 0.6 V.
    CHECK(pj(energies(standard("lpddr4", "data_rate: 3200 MT/s")).read_burst) ==
          Approx(pj(e.read_burst)));
    CHECK(pj(energies(standard("lpddr4x")).read_burst) ==
          Approx((245 * 1.1 + 149.25 * 0.6) * 5 / 2));
}

TEST_CASE("the energies of every preset by hand, from its datasheet", "[power]")
{
    // The expected energies in pJ are V x (I - standby I) x t for each supply, times the devices of
    // a channel. The powers of the whole memory in mW are with rows open, with all rows closed, and
    // of refresh (every bank in tREFI).
    struct Worked {
        const char* name;
        double activate, precharge, read, write, refresh;
        double active_mw, idle_mw, refresh_mw;
    };
    const Worked vectors[] = {
        {"lpddr4", 407.8125, 192.6563, 1084.1875, 644.1875, 1394.1281, 303, 273, 45.71205},
        {"lpddr4x", 407.8125, 192.6563, 897.625, 576.375, 1394.1281, 300, 270, 45.71205},
        {"lpddr5", 382.5, 202.5, 829.6875, 540.3125, 673.3125, 71.85, 64.65, 11.03226},
        {"lpddr5x", 382.5, 202.5, 829.6875, 540.3125, 673.3125, 71.85, 64.65, 11.03226},
        {"hbm2", 909, 0, 890.88, 890.88, 1893.9375, 528, 384, 124.32},
        {"hbm2e", 909, 0, 890.88, 890.88, 1893.9375, 528, 384, 124.32},
        {"hbm3", 764, 0, 780.8, 780.8, 2346.0938, 968, 704, 308},
        {"ddr5", 1553.92, 926.6852, 3417.8133, 4461.8133, 219834, 1350.4, 910.4, 112.7354},
        // 8 devices; 8 beats at 2400 MT/s take 3.33 ns; 512 bits take 2.74 pJ each.
        {"ddr4", 7858.5, 4083.75, 5898.88, 5394.88, 248640, 844.8, 734.4, 63.753846},
        // A channel is 12 of the datasheet's 32 bits. A burst of 288 bits, data or not, passes at
        // 102.4 Gb/s.
        {"lpddr6", 136.6875, 349.3125, 933.39844, 607.85156, 10965.375, 107.775, 96.975, 22.458525},
        // HBM3's currents over 45 - 28.5 and 28.5 ns, half of a 64-bit device, and an RFCab of 450
        // ns.
        {"hbm4", 764, 0, 780.8, 780.8, 48262.5, 1936, 1408, 792}};
    for (const Worked& worked : vectors) {
        INFO(worked.name);
        const dram::Parameters p = standard(worked.name);
        const dram::CommandEnergies e = energies(p);
        const auto is = [](double value) { return Approx(value).epsilon(1e-6); };
        CHECK(pj(e.activate) == is(worked.activate));
        CHECK(pj(e.precharge) == is(worked.precharge));
        CHECK(pj(e.read_burst) == is(worked.read));
        CHECK(pj(e.write_burst) == is(worked.write));
        CHECK(pj(e.refresh) == is(worked.refresh));
        CHECK(1e3 * watts(e.active_standby) == is(worked.active_mw));
        CHECK(1e3 * watts(e.idle_standby) == is(worked.idle_mw));
        CHECK(1e-9 * pj(e.refresh) * refreshes_per_s(p) == is(worked.refresh_mw));
        CHECK(dram::BurstCounter(p).count({0, 64, {1000, 1, 1}, {64, 0, 0}, true}, 64'000) ==
              1000 * (64 / p.burst_bytes()));
    }
}

TEST_CASE("the energies of three sequences of commands by hand", "[power]")
{
    struct Sequence {
        const char* name;
        double rows, reads, writes, refreshes; ///< Commands of one channel; each row is opened and
                                               ///< closed.
        double active_ns, idle_ns;             ///< Times of the whole memory.
        double picojoules;
    };
    const Sequence sequences[] = {
        // A row is opened, read in four bursts and closed, in 150 ns of the memory's 303 mW:
        // 407.8125 + 192.65625 + 4 x 1084.1875 + 45450.
        {"lpddr4", 1, 4, 0, 0, 150, 0, 50387.21875},
        // Two rows receive eight bursts, then a refresh follows, in 1 us, half of it idle: 2 x
        // (1553.92 + 926.6852) + 8 x 4461.81333 + 219834 + 675200 + 455200.
        {"ddr5", 2, 0, 8, 1, 500, 500, 1390889.717},
        // HBM2 reads and writes one row and refreshes a bank, in 2 us without streams: 909 + 3 x
        // 890.88 + 2 x 890.88 + 1893.9375 + 768000.
        {"hbm2", 1, 3, 2, 1, 0, 2000, 775257.3375}};
    for (const Sequence& one : sequences) {
        INFO(one.name);
        const dram::CommandEnergies e = energies(standard(one.name));
        const double sum =
            one.rows * (pj(e.activate) + pj(e.precharge)) + one.reads * pj(e.read_burst) +
            one.writes * pj(e.write_burst) + one.refreshes * pj(e.refresh) +
            1e3 * (one.active_ns * watts(e.active_standby) + one.idle_ns * watts(e.idle_standby));
        CHECK(sum == Approx(one.picojoules).epsilon(1e-8));
    }
}

TEST_CASE("the energies of command sequences of LPDDR5 and DDR4 by hand, from currents", "[power]")
{
    // mA x V x ns = pJ. For each supply, the energy is V x (I - standby I) x t, as in
    // docs/energy.md.
    struct Sequence {
        double rows, reads, writes, refreshes; ///< Commands of one channel; each row is opened and
                                               ///< closed.
        double active_ns, idle_ns, asleep_ns;  ///< Times of the whole memory.
        double picojoules;
    };
    const auto expect = [](const char* name, const Sequence& of) {
        INFO(name << ", " << of.picojoules << " pJ");
        const dram::CommandEnergies e = energies(standard(name));
        const double sum =
            of.rows * (pj(e.activate) + pj(e.precharge)) + of.reads * pj(e.read_burst) +
            of.writes * pj(e.write_burst) + of.refreshes * pj(e.refresh) +
            1e3 * (of.active_ns * watts(e.active_standby) + of.idle_ns * watts(e.idle_standby) +
                   of.asleep_ns * watts(e.self_refresh));
        CHECK(sum == Approx(of.picojoules).epsilon(1e-9));
    };
    // LPDDR5: supplies of 1.8, 1.05 and 0.5 V; a channel is half of the 32 bits of the datasheet.
    // Activate: (1.25 mA x 1.8 V + 15 x 1.05) x tRAS 42.5 ns / 2 = 382.5.
    // Precharge: (1.5 x 1.8 + 18 x 1.05) x (tRC 61.25 - 42.5) / 2 = 202.5.
    // Read: (245 x 1.05 + 149.25 x 0.5) x 5 ns (256 bits at 3200 MT/s x 16 bits) / 2 = 829.6875.
    // Write: (180 x 1.05 + 54.25 x 0.5) x 5 / 2 = 540.3125.
    // Refresh of one of 16 banks: (7.75 x 1.8 + 60 x 1.05) x tRFCab 280 / 2 / 16 = 673.3125.
    // Four channels: rows open (2.25 x 1.8 + 30 x 1.05 + 0.75 x 0.5) x 4 / 2 = 71.85 mW, closed
    // (2 x 1.8 + 27 x 1.05 + 0.75 x 0.5) x 2 = 64.65, asleep (0.3 x 1.8 + 0.5 x 1.05 + 0.1 x 0.5)
    // x 2 = 2.23.
    // 585 + 4 x 829.6875 + 100 x 71.85:
    expect("lpddr5", {1, 4, 0, 0, 100, 0, 0, 11088.75});
    // 2 x 585 + 8 x 540.3125 + 2 x 673.3125 + 300 x 71.85 + 700 x 64.65:
    expect("lpddr5", {2, 0, 8, 2, 300, 700, 0, 73649.125});
    // 585 + 3 x 829.6875 + 5 x 540.3125 + 200 x 71.85 + 1000 x 2.23:
    expect("lpddr5", {1, 3, 5, 0, 200, 0, 1000, 22375.625});

    // DDR4: 1.2 and 2.5 V; a channel of 64 bits is eight devices, two channels are sixteen.
    // Activate: (16.75 x 1.2 + 4.05 x 2.5) x tRAS 32.5 x 8 = 7858.5.
    // Precharge: (22.5 x 1.2 + 4.05 x 2.5) x (tRC 46.25 - 32.5) x 8 = 4083.75.
    // Read: 140.5 x 1.2 x (8 beats at 2400 MT/s, 3.33) x 8 + 512 bits x 2.74 = 5898.88.
    // Write: 124.75 x 1.2 x 3.33 x 8 + 512 x 2.74 = 5394.88.
    // Refresh of all banks: 74 x 1.2 x tRFC 350 x 8 = 248640.
    // Rows open 44 x 1.2 x 16 = 844.8 mW, closed 38.25 x 1.2 x 16 = 734.4, asleep (20.25 x 1.2 +
    // 2.6 x 2.5) x 16 = 492.8.
    // 11942.25 + 4 x 5898.88 + 100 x 844.8:
    expect("ddr4", {1, 4, 0, 0, 100, 0, 0, 120017.77});
    // 2 x 11942.25 + 8 x 5394.88 + 248640 + 300 x 844.8 + 700 x 734.4:
    expect("ddr4", {2, 0, 8, 1, 300, 700, 0, 1083203.54});
    // 11942.25 + 3 x 5898.88 + 5 x 5394.88 + 200 x 844.8 + 1000 x 492.8:
    expect("ddr4", {1, 3, 5, 0, 200, 0, 1000, 718373.29});
}

TEST_CASE("a long pause becomes self-refresh, and waking takes tXSR", "[self-refresh]")
{
    dram::SelfRefresh memory({1000, 300});
    CHECK(memory.configured());
    CHECK(memory.slept(900) == 0);
    CHECK(memory.slept(1500) == 500);
    CHECK(memory.wake(1500) == 300);
    CHECK(memory.wake(1500) == 0);
    memory.run(true, 2000);
    CHECK(memory.slept(9000) == 500); // The memory does not sleep while streams run.
    memory.run(false, 9000);
    CHECK(memory.wake(9999) == 0); // An access of the core restarts the pause.
    CHECK(memory.slept(10'999) == 500);
    CHECK(memory.slept(11'099) == 600);
    dram::SelfRefresh never({});
    CHECK_FALSE(never.configured());
    CHECK(never.wake(1'000'000) == 0);
    CHECK(never.slept(1'000'000'000) == 0);
    // LPDDR4's IDD6, for 8 channels x 2 ranks of half a device.
    CHECK(watts(energies(standard("lpddr4")).self_refresh) ==
          Approx(8e-3 * (0.3 * 1.8 + 0.6 * 1.1)));
    const dram::CommandEnergies ddr5 = energies(standard("ddr5"));
    CHECK(watts(ddr5.self_refresh) == watts(ddr5.idle_standby)); // The datasheet has no IDD6.
}

TEST_CASE("no preset's energies rest on an assumption that a run does not state", "[power]")
{
    const std::string folder = std::string(LEVEE_DRAM_STANDARDS) + "/../energy";
    const config::FileFinder finder(folder);
    const config::Node families = config::compose(folder + "/dram/families.yaml", finder, {});
    for (const config::Node::Entry& family : families.entries) {
        INFO(family.key);
        const dram::Datasheet sheet =
            config::read_dram_datasheet(families, "currents", family.key + "-1");
        // Row and bit energies of HBM2 are published.
        CHECK(sheet.assumed.empty() == (family.key == "HBM2"));
        CHECK(sheet.low == 1.0);
        CHECK(sheet.high == 1.0);
    }
}

TEST_CASE("HBM2's energies are the published ones, and DDR5's interface is added to its currents",
          "[power]")
{
    const dram::CommandEnergies hbm2 = energies(standard("hbm2"));
    CHECK(pj(hbm2.activate) == Approx(909));
    CHECK(pj(hbm2.precharge) == 0.0);
    CHECK(pj(hbm2.read_burst) == Approx(256 * 3.48));
    CHECK(pj(hbm2.refresh) ==
          Approx(195 * 1.2 * 259 / 2 / 16)); // Half of 128 bits, and one of 16 banks.
    const dram::CommandEnergies ddr5 = energies(standard("ddr5"));
    CHECK(pj(ddr5.read_burst) ==
          Approx(4 * (176 * 1.1 + 2 * 1.8) * 16 / 4.8 + 512 * 1.54)); // There are four devices,
                                                                      // with bursts of 16 beats.
    CHECK(pj(ddr5.activate) == Approx(4 * (9.4 * 1.1 + 1 * 1.8) * 32));
}

TEST_CASE("a streamed bit costs about as much as is published for its standard", "[power]")
{
    // Published energies per bit: LPDDR4 takes 4 to 8 pJ, LPDDR5 some 20 to 30 % less, HBM2 3.9
    // (O'Connor and others), HBM3 less than HBM2, DDR5 10 to 15 with termination. By hand, the sums
    // of read, row, standby and refresh are: LPDDR4 4.24 + 0.04 + 0.59 (303 mW at 512 Gb/s) + 0.09;
    // HBM2 3.48 + 0.11 + 0.26 + 0.06; DDR5 6.68 + 0.08 + 4.40 (1.35 W at 307 Gb/s) + 0.37.
    CHECK(streamed_pj_per_bit("lpddr4") == Approx(4.95).margin(0.02));
    CHECK(streamed_pj_per_bit("hbm2") == Approx(3.91).margin(0.02));
    CHECK(streamed_pj_per_bit("ddr5") == Approx(11.51).margin(0.03));
    CHECK(streamed_pj_per_bit("lpddr4x") > 3.5);
    CHECK(streamed_pj_per_bit("lpddr4x") < streamed_pj_per_bit("lpddr4"));
    CHECK(streamed_pj_per_bit("lpddr5") < streamed_pj_per_bit("lpddr4x"));
    CHECK(streamed_pj_per_bit("lpddr5") > 3.0);
    CHECK(streamed_pj_per_bit("lpddr5x") < streamed_pj_per_bit("lpddr5"));
    CHECK(streamed_pj_per_bit("hbm2e") < streamed_pj_per_bit("hbm2"));
    CHECK(streamed_pj_per_bit("hbm3") < streamed_pj_per_bit("hbm2e"));
    CHECK(streamed_pj_per_bit("hbm3") > 2.5);
}

TEST_CASE("an impossible datasheet is refused at its place", "[power]")
{
    const auto read = [](const std::string& text, const std::string& standard = "X-1") {
        return config::read_dram_datasheet(config::parse_yaml(text, "x.yaml"), "currents",
                                           standard);
    };
    const std::string head =
        "X:\n  source: s\n  data_bits: 8\n  data_rate: 1 GT/s\n  rails:\n    v: {voltage: 1 V, ";
    CHECK_THROWS_WITH(
        read(head +
             "idd0: 5 mA, idd2n: 6 mA, idd3n: 5 mA, idd4r: 9 mA, idd4w: 9 mA, idd5: 9 mA}\n"),
        Contains("x.yaml:2:3") && Contains("idd0 is less power than idd2n"));
    CHECK_THROWS_WITH(read(head + "idd0: 5 mA}\n"), Contains("lacks the key"));
    CHECK_THROWS_WITH(read(head + "idd0: 5 W}\n"), Contains("'currents.X.rails.v.idd0' is '5 W'"));
    CHECK_THROWS_WITH(read("X:\n  data_bits: 8\n"),
                      Contains("expected the publication that states"));
    CHECK_THROWS_WITH(
        read(head + "idd0: 7 mA, idd2n: 6 mA, idd3n: 6 mA, idd4r: 9 mA, idd4w: 9 mA, idd5: 9 mA}\n",
             "Y-2"),
        Contains("no currents of Y") && Contains("expected one of X"));
}

TEST_CASE("width, channels and data rate are single keys", "[keys]")
{
    const std::string name =
        GENERATE("lpddr4", "lpddr4x", "lpddr5", "lpddr5x", "hbm2", "hbm2e", "hbm3", "ddr5");
    INFO(name);
    const dram::Parameters whole = standard(name);
    CHECK(dram::validate(whole).empty());
    for (const unsigned width : {64u, 128u, 256u}) {
        const dram::Parameters p = standard(name, "width: " + std::to_string(width));
        CHECK(p.organisation.channels * p.organisation.data_bits == width);
        CHECK(p.peak_bytes_per_s() ==
              Approx(static_cast<double>(whole.organisation.data_rate) * width / 8));
        CHECK(p.organisation.capacity_bytes == whole.organisation.capacity_bytes /
                                                   whole.organisation.channels *
                                                   p.organisation.channels);
    }
    CHECK(standard(name, "channels: 1").organisation.channels == 1);
    const dram::Parameters slow = standard(name, "channels: 4\ndata_rate: 1600 MT/s");
    CHECK(slow.organisation.data_rate == 1'600'000'000);
    CHECK(slow.standard == whole.standard.substr(0, whole.standard.find('-')) + "-1600");
    // The number of clocks is the same, but each clock is longer.
    CHECK(dram::clocks(slow).burst == dram::clocks(whole).burst);
    CHECK(slow.timing.rcd_read == whole.timing.rcd_read);
    CHECK_THROWS_WITH(standard(name, "width: 100"),
                      Contains("more.yaml:1:8") &&
                          Contains("expected a multiple of a channel's organisation.data_bits"));
    CHECK_THROWS_WITH(standard(name, "width: 64\nchannels: 64"),
                      Contains("expected only one of the two keys"));
}

TEST_CASE("the capacity is a single key that determines the rows", "[keys]")
{
    const std::string name =
        GENERATE("lpddr4", "lpddr4x", "lpddr5", "lpddr5x", "hbm2", "hbm2e", "hbm3", "ddr5");
    INFO(name);
    const dram::Parameters whole = standard(name);
    const std::uint64_t bytes = whole.organisation.capacity_bytes;
    for (const std::uint64_t wanted : {bytes / 2, 2 * bytes, 4 * bytes}) {
        const dram::Parameters p = standard(name, "capacity: " + std::to_string(wanted) + " B");
        CHECK(p.organisation.capacity_bytes == wanted);
        CHECK(p.organisation.rows * bytes == whole.organisation.rows * wanted);
        CHECK(p.organisation.channels == whole.organisation.channels);
        CHECK(dram::validate(p).empty());
        CHECK(p.peak_bytes_per_s() == whole.peak_bytes_per_s());
    }
    const dram::Parameters wide =
        standard(name, "width: 256\ncapacity: " + std::to_string(bytes) + " B");
    CHECK(wide.organisation.capacity_bytes == bytes);
    CHECK_THROWS_WITH(standard(name, "capacity: 3 MB"),
                      Contains("more.yaml:1:11") &&
                          Contains("'dram.capacity' is 3 MB; expected a multiple of"));
}

TEST_CASE("each preset streams at its peak, except for refresh", "[keys]")
{
    const std::string name = GENERATE("lpddr4x", "lpddr5x", "hbm2e", "hbm3", "ddr5");
    const dram::Parameters p = standard(name, "width: 128");
    dram::DramTiming timing("dram", p);
    constexpr std::uint64_t bytes = 1 << 20;
    const FlowUse use{&timing, Direction::Read, {0, bytes}, bytes};
    const FlowUse* const mix[] = {&use};
    const StreamDemand demand[] = {{std::numeric_limits<double>::infinity()}};
    double ps_per_byte[] = {0.0};
    timing.price(mix, demand, ps_per_byte);
    const double share = 1e12 / ps_per_byte[0] / p.peak_bytes_per_s();
    const double refreshing =
        static_cast<double>(p.timing.rfc_all) / static_cast<double>(p.timing.refi);
    INFO(name << " " << share);
    CHECK(share <= 1.0);
    CHECK(share > (p.refresh == dram::RefreshMode::AllBank ? 0.98 - refreshing : 0.95));
}

TEST_CASE("clock, data rate and burst must fit each other, or an error names them", "[keys]")
{
    dram::Parameters p = standard("lpddr5");
    p.timing.clock = 1600;
    CHECK(dram::validate(p).size() == 1);
    CHECK_THAT(dram::validate(p).front(),
               Contains("timing.clock of 1600 ps and organisation.data_rate of 6400 MT/s give "
                        "10.24 beats per clock") &&
                   Contains("expected 2, 4, 8 or 16 beats"));
    p = standard("lpddr4");
    p.organisation.data_rate = 3'733'000'000;
    CHECK_THAT(dram::validate(p).front(), Contains("1.86 beats per clock"));
    p = standard("hbm2");
    p.timing.clock = 4000; // A clock has 8 beats, so a burst of 4 takes half a clock.
    CHECK_THAT(dram::validate(p).front(), Contains("organisation.burst_length is 4"));
}
