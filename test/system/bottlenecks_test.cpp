// SPDX-License-Identifier: Apache-2.0
// Tests the causes of each block's time, and the bottleneck of each phase, in runs whose bottleneck
// is known.
#include "test/system/program.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <sstream>

using levee::test::Outcome;
using levee::test::reproducible;
using levee::test::Workplace;

namespace {

using Fields = std::vector<std::string>;

/// Returns the lines of a CSV file in a run's folder, without the first.
std::vector<Fields> table(const Workplace& place, const std::string& file)
{
    std::istringstream lines(place.read("out/demo/" + file));
    std::vector<Fields> rows;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        rows.emplace_back();
        for (std::string field; std::getline(fields, field, ',');)
            rows.back().push_back(field);
    }
    REQUIRE(rows.size() > 1);
    rows.erase(rows.begin());
    return rows;
}

Outcome demo(const Workplace& place, Fields more, const std::string& scenario = "demo")
{
    const Fields run{"run",   scenario,   "--set",   "workload.max_new_tokens=6",
                     "--out", "out/demo", "--bounds"};
    more.insert(more.begin(), run.begin(), run.end());
    const Outcome outcome = place.levee(more);
    CHECK(outcome.code == 0);
    return outcome;
}

/// Returns the bottleneck of decoding from roofline.csv, and its share of the phase.
std::pair<std::string, double> bound(const Workplace& place)
{
    std::string name;
    std::uint64_t most = 0;
    for (const Fields& row : table(place, "roofline.csv"))
        if (row[0] == "decode" && std::stoull(row[2]) > most) {
            most = std::stoull(row[2]);
            name = row[1];
        }
    const double seconds = place.results("out/demo")["metrics"]["decode.seconds"];
    return {name, static_cast<double>(most) / (seconds * 1e12)};
}

} // namespace

TEST_CASE("each block's causes add up to each phase, to the picosecond")
{
    const Workplace place;
    const Outcome outcome = demo(place, {}, GENERATE("demo", "kelle/demo"));
    std::map<std::string, std::map<std::string, std::uint64_t>> sums;
    const auto results = place.results("out/demo");
    for (const Fields& row : table(place, "bounds.csv")) {
        sums[row[0]][row[1]] += std::stoull(row[3]);
        const std::string figure = "bounds." + row[0] + "." + row[1] + "." + row[2] + "_seconds";
        CHECK(results["metrics"][figure] == static_cast<double>(std::stoull(row[3])) / 1e12);
        CHECK(outcome.text.find(row[2]) != std::string::npos);
    }
    REQUIRE(sums.size() == 3);
    std::uint64_t run = 0;
    for (const auto& [phase, blocks] : sums) {
        REQUIRE(blocks.size() >= 3); // The machine has at least dma, rsa and sfu.
        const std::uint64_t time = blocks.begin()->second;
        for (const auto& [block, sum] : blocks)
            CHECK(sum == time);
        if (phase != "other")
            CHECK(results["metrics"][phase + ".seconds"] == static_cast<double>(time) / 1e12);
        run += time;
    }
    CHECK(results["metrics"]["sim.seconds"] == static_cast<double>(run) / 1e12);
}

TEST_CASE("if a phase begins while a block works, no time of the block counts in both phases")
{
    // An access of the program to the bus may be simulated after a block's event that has a later
    // time.
    const Workplace place;
    const std::string nops = GENERATE("8", "73", "138");
    const Outcome outcome =
        place.levee({"run", "app", "--elf", std::string(LEVEE_BARE_DIR) + "/phase_" + nops + ".elf",
                     "--no-report", "--out", "out/demo"});
    REQUIRE(outcome.code == 0);
    const auto metrics = place.results("out/demo")["metrics"];
    std::map<std::string, std::map<std::string, std::uint64_t>> sums;
    for (const Fields& row : table(place, "bounds.csv")) {
        const std::uint64_t time = std::stoull(row[3]);
        CHECK(static_cast<double>(time) / 1e12 <= metrics["sim.seconds"]);
        sums[row[0]][row[1]] += time;
    }
    for (const std::string phase : {"prefill", "decode"})
        for (const auto& [block, sum] : sums[phase])
            CHECK(static_cast<double>(sum) / 1e12 == metrics[phase + ".seconds"]);
    for (const Fields& row : table(place, "roofline.csv"))
        CHECK(std::stod(row[2]) / 1e12 <= metrics["sim.seconds"]);
}

TEST_CASE("tables of causes are always written, but printed only on request")
{
    const Workplace place;
    const std::vector<std::string> words{"core awake", "bound by", "wait_sfu", "attainable"};
    const std::string with = demo(place, {}).text;
    const Outcome without =
        place.levee({"run", "demo", "--set", "workload.max_new_tokens=6", "--out", "out/without"});
    CHECK(without.code == 0);
    CHECK_THAT(without.text, Catch::Contains("simulated time"));
    for (const std::string& word : words) {
        CHECK_THAT(with, Catch::Contains(word));
        CHECK_THAT(without.text, !Catch::Contains(word));
    }
    for (const std::string file : {"bounds.csv", "roofline.csv"})
        CHECK(place.read("out/without/" + file) == place.read("out/demo/" + file));
}

TEST_CASE("a slow array limits the phase by its own pace")
{
    const Workplace place;
    demo(place, {"--set", "system.blocks.rsa.rows=2", "--set", "system.blocks.rsa.columns=2"});
    const auto [name, share] = bound(place);
    CHECK(name == "rsa");
    CHECK(share > 0.8);
    const auto metrics = place.results("out/demo")["metrics"];
    const double achieved = metrics["roofline.decode.macs_per_s"];
    CHECK(achieved < metrics["roofline.decode.peak_macs_per_s"]);
    CHECK(achieved > 0.5 * metrics["roofline.decode.peak_macs_per_s"].get<double>());
    // an array of 2 x 2 at 1 GHz
    CHECK(metrics["roofline.decode.peak_macs_per_s"] == 4'000'000'000u);
}

TEST_CASE("an array that loads more slowly than its memory delivers is reported with both rates")
{
    const Workplace place;
    const auto decode = [&](const std::string& bytes_per_cycle) {
        const Outcome outcome =
            place.levee({"run", "kelle/original_sram", "--out", "out/demo", "--bounds", "--set",
                         "workload.batch=1", "--set", "sampling.steps=4", "--set",
                         "system.blocks.rsa.load_bytes_per_cycle=" + bytes_per_cycle});
        REQUIRE(outcome.code == 0);
        return outcome.text;
    };
    const std::string slow = decode("24");
    auto metrics = place.results("out/demo")["metrics"];
    CHECK(metrics["bounds.decode.load"] == "array load: 24 of 64 GB/s");
    // 128 rows of A take longer than the 24 cycles of loading.
    CHECK_FALSE(metrics.contains("bounds.prefill.load"));
    const double seconds = metrics["decode.seconds"];
    CHECK(metrics["bounds.decode.rsa.load_seconds"].get<double>() > 0.95 * seconds);
    CHECK(metrics["roofline.decode.rsa.binds_seconds"].get<double>() > 0.95 * seconds);
    CHECK(metrics["rsa.load_cycles"].get<double>() > 0.95e9 * seconds);
    // The summary and the list of bottlenecks both state the load.
    const std::size_t first = slow.find("array load: 24 of 64 GB/s");
    REQUIRE(first != std::string::npos);
    CHECK(slow.find("array load: 24 of 64 GB/s", first + 1) != std::string::npos);
    CHECK(bound(place).first == "rsa");
    CHECK(decode("128").find("array load") == std::string::npos);
    metrics = place.results("out/demo")["metrics"];
    CHECK_FALSE(metrics.contains("bounds.decode.load"));
    CHECK(bound(place).first == "dram");
}

TEST_CASE("a slow memory with the weights limits the phase")
{
    const Workplace place;
    demo(place, {"--set", "system.memories.dram={type: sram, size: 64 MiB, bandwidth: 1 GB/s, "
                          "latency: 10 ns, roles: [model, kv, spill]}"});
    const auto [name, share] = bound(place);
    CHECK(name == "dram");
    CHECK(share > 0.8);
    const auto metrics = place.results("out/demo")["metrics"];
    CHECK(metrics["bounds.decode.rsa.memory_dram_seconds"].get<double>() >
          0.8 * metrics["decode.seconds"].get<double>());
    const double bytes_per_s = metrics["roofline.decode.dram.bytes_per_s"];
    CHECK(bytes_per_s > 0.8e9);
    CHECK(bytes_per_s < 1e9);
    // The attainable rate is the intensity times the bandwidth that this memory achieves while in
    // use.
    CHECK(metrics["roofline.decode.attainable_macs_per_s"].get<double>() * bytes_per_s / 1e9 ==
          Approx(metrics["roofline.decode.macs_per_s"].get<double>()));
}

namespace {

/// Streams a full cache through Kelle's eDRAM and refreshes all rows every `interval`.
Outcome refreshed(const Workplace& place, const std::string& interval)
{
    const std::string each = "high_msb: " + interval + ", high_lsb: " + interval +
                             ", low_msb: " + interval + ", low_lsb: " + interval;
    return place.levee({"run", "kelle/original_edram", "--out", "out/demo", "--set",
                        "kv_cache.refresh={" + each + "}"});
}

} // namespace

TEST_CASE("the time that refresh costs is a cause, and equals the difference between two runs")
{
    const Workplace place;
    const auto decode = [&](const std::string& interval) {
        CHECK(refreshed(place, interval).code == 0);
        const auto metrics = place.results("out/demo")["metrics"];
        const std::string cause = "bounds.decode.rsa.refresh_kv_edram_seconds";
        return std::pair(metrics["decode.seconds"].get<double>(), metrics.value(cause, 0.0));
    };
    const auto [seldom, nothing] = decode("7 ms");
    const auto [stated, little] = decode("45 us");
    const auto [often, much] = decode("5 us");
    CHECK(nothing == 0.0);
    CHECK(little == 0.0); // Data from DRAM use half of a bank's time, and refresh uses 9.1 %.
    CHECK(stated == seldom);
    // By hand, the array loads keys and values at 32 GB/s. Refresh leaves 18.08 % of 256 GB/s for
    // both directions, which is 23.1 each.
    CHECK(much == Approx(often - seldom).epsilon(1e-3));
    const double moved = place.results("out/demo")["metrics"]["kv_edram.read_bytes"];
    CHECK(much == Approx(moved / 23.14e9 - moved / 32e9).epsilon(0.05));
}

TEST_CASE("a refresh that takes all of a bank's time ends the run with the reason")
{
    const Workplace place;
    const Outcome outcome = refreshed(place, "1 us"); // Refreshing the rows takes 4.1 us.
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains("'system.memories.kv_edram': refresh alone takes"));
    CHECK_THAT(outcome.text, Catch::Contains("'kv_cache.refresh'"));
}

TEST_CASE("a slow core limits the phase, and its blocks are idle meanwhile")
{
    const Workplace place;
    demo(place, {"--set", "system.core.clock=2 MHz", "--set", "system.blocks.rsa.clock=1 GHz",
                 "--set", "system.blocks.sfu.clock=1 GHz"});
    const auto [name, share] = bound(place);
    CHECK(name == "core");
    CHECK(share > 0.8);
    const auto metrics = place.results("out/demo")["metrics"];
    CHECK(metrics["bounds.decode.rsa.firmware_seconds"].get<double>() >
          0.8 * metrics["decode.seconds"].get<double>());
}

TEST_CASE("waiting time is booked to the block that was waited for")
{
    const Workplace place;
    demo(place, {"--set", "system.blocks.rsa.rows=2", "--set", "system.blocks.rsa.columns=2"});
    const auto metrics = place.results("out/demo")["metrics"];
    const double decode = metrics["decode.seconds"];
    CHECK(metrics["bounds.decode.sfu.wait_rsa_seconds"].get<double>() > 0.5 * decode);
    CHECK(metrics["bounds.decode.rsa.wait_sfu_seconds"].get<double>() < 0.2 * decode);
}
