// SPDX-License-Identifier: Apache-2.0
// Tests a system whose scenario has two DRAMs. It gives the same results as one DRAM, is almost
// twice as fast where bandwidth is the bottleneck, and reports figures for each DRAM.
#include "test/system/timing_only_case.hpp"

#include <sstream>

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const std::string one_dram = "system.memories.dram2.roles=[]";

using Options = std::vector<std::string>;

nlohmann::json metrics_of(const Workplace& place, const std::string& scenario, Options options)
{
    Options command{"run", scenario, "--quiet", "--out", "out"};
    command.insert(command.end(), options.begin(), options.end());
    REQUIRE(place.levee(command).code == 0);
    return place.results("out").at("metrics");
}

double number(const nlohmann::json& metrics, const std::string& name)
{
    INFO(name);
    REQUIRE(metrics.contains(name));
    return metrics.at(name).get<double>();
}

/// Three prompts of the embedded model on the two DRAMs.
KelleCase stories()
{
    KelleCase kelle;
    kelle.shipped = fs::path(LEVEE_SOURCE) / "scenarios/systems/two_drams.yaml";
    kelle.image = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 60, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 12;
    kelle.policy = kv_policy(LEVEE_KV_FULL, 40, 16, 4);
    kelle.workload = ", prefill_chunk: 24";
    return kelle;
}

/// Returns the bytes of a memory in the energy ledger.
std::uint64_t charged_bytes(const Workplace& place, const std::string& memory,
                            const std::string& event)
{
    std::istringstream lines(place.read("out/energy.csv"));
    std::uint64_t bytes = 0;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::vector<std::string> row;
        for (std::string field; std::getline(fields, field, ',');)
            row.push_back(field);
        if (row[0] == memory && row[1] == event)
            bytes += std::stoull(row[4]);
    }
    return bytes;
}

std::uint64_t both(const KelleRun& run, const std::string& figure)
{
    return run.count("dram." + figure) + run.count("dram2." + figure);
}

} // namespace

TEST_CASE("two DRAMs give the tokens, text and logits of one, and each byte is counted once")
{
    const Workplace place;
    const KelleCase kelle = stories();
    const std::string charged = "tech.energy=tech/energy/kelle_events.yaml";
    const KelleRun one = run_case(place, kelle, {"--set", one_dram, "--set", charged});
    for (const char* granule : {"64 B", "4 KiB", "64 KiB"}) {
        INFO(granule);
        const KelleRun two =
            run_case(place, kelle,
                     {"--set", std::string("system.bus.interleave=") + granule, "--set", charged});
        CHECK(two.results.at("tokens") == one.results.at("tokens"));
        CHECK(two.results.at("text") == one.results.at("text"));
        CHECK(two.logits == one.logits);
        CHECK(two.count("rsa.macs") == one.count("rsa.macs"));
        CHECK(both(two, "read_bytes") == one.count("dram.read_bytes"));
        CHECK(both(two, "write_bytes") == one.count("dram.write_bytes"));
        for (const char* memory : {"dram", "dram2"}) {
            CHECK(charged_bytes(place, memory, "read") ==
                  two.count(std::string(memory) + ".read_bytes"));
            CHECK(charged_bytes(place, memory, "write") ==
                  two.count(std::string(memory) + ".write_bytes"));
        }
        // Both memories are used.
        CHECK(two.count("dram2.read_bytes") > one.count("dram.read_bytes") / 3);
        CHECK(two.count("dram.read_bytes") > one.count("dram.read_bytes") / 3);
    }
}

TEST_CASE("two DRAMs: a timing-only run with recorded decisions has the functional run's figures")
{
    check_timing_only(stories());
}

TEST_CASE("a decode limited by their bandwidth runs at least 1.8 times as fast on two DRAMs")
{
    const Workplace place;
    const nlohmann::json two = metrics_of(place, "two_drams", {});
    const nlohmann::json one = metrics_of(place, "two_drams", {"--set", one_dram});
    CHECK(number(one, "decode.seconds") >= 1.8 * number(two, "decode.seconds"));
    CHECK(number(one, "decode.tokens") == number(two, "decode.tokens"));
    CHECK(number(one, "roofline.decode.macs") == number(two, "roofline.decode.macs"));
    // Each memory delivers half of the bytes and has its own roofline.
    const double bytes = number(one, "roofline.decode.dram.bytes");
    CHECK(number(two, "roofline.decode.dram.bytes") == Approx(bytes / 2).epsilon(0.01));
    CHECK(number(two, "roofline.decode.dram2.bytes") == Approx(bytes / 2).epsilon(0.01));
    CHECK(number(two, "roofline.decode.attainable_macs_per_s") ==
          Approx(2 * number(one, "roofline.decode.attainable_macs_per_s")).epsilon(0.01));
}

TEST_CASE("two DRAMs: tensor checks report no errors, and describe shows the address range")
{
    const Workplace place;
    place.write("s.yaml", "extends: " LEVEE_SOURCE "/scenarios/demo.yaml\n"
                          "system: {memories: {dram2: {type: dram, standard: "
                          "tech/dram/lpddr4.yaml, roles: [model, kv, spill]}}}\n"
                          "workload: {max_new_tokens: 3}\n");
    const Outcome run = place.levee({"run", "s.yaml", "--check", "all", "--out", "out"});
    CHECK(run.code == 0);
    const Outcome text = place.levee({"describe", "s.yaml"});
    CHECK(text.code == 0);
    CHECK(text.text.find(
              "dram         interleaved over dram, dram2, granule 4 KiB, size 32 GiB, peak "
              "128 GB/s") != std::string::npos);
}
