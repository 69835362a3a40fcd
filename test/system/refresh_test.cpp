// SPDX-License-Identifier: Apache-2.0
// eDRAMs of a cache on the platform: what they refresh, at which intervals, on every machine, and
// in samples as in the whole.
#include "test/system/program.hpp"

#include <string>
#include <vector>

using namespace levee::test;

namespace {

const std::string scenarios = LEVEE_SOURCE "/scenarios/";

nlohmann::json metrics_of(const Workplace& place, const std::string& scenario)
{
    place.write("s.yaml", scenario);
    const Outcome outcome = place.levee({"run", "s.yaml", "--quiet", "--out", "out"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(place.read("out/results.json")).at("metrics");
}

} // namespace

TEST_CASE("weights beside keys and values in an eDRAM are refreshed from the first batch on")
{
    const Workplace place;
    const std::string kelle = "extends: " + scenarios +
                              "kelle/demo.yaml\n"
                              "workload: {max_new_tokens: 4, stop_token: none}\n"
                              "kv_cache: {policy: full, recompute: off, refresh: {high_msb: 45 us, "
                              "high_lsb: 45 us, low_msb: 45 us, low_lsb: 45 us}}\n"
                              "system:\n  extends: " +
                              scenarios +
                              "kelle/systems/kelle_resident.yaml\n"
                              "  memories:\n    sram: {roles: [state]}\n";
    const auto row_seconds = [&](const std::string& memories, const char* memory) {
        const nlohmann::json metrics = metrics_of(place, kelle + memories);
        return metrics.at(std::string(memory) + ".valid_row_seconds.high_msb").get<double>() /
               metrics.at("sim.seconds").get<double>();
    };
    const double model = row_seconds("    kv_edram: {layout: plain, roles: [kv]}\n"
                                     "    model_edram: {type: edram, size: 4 MiB, banks: 32, row: "
                                     "128 B, access: 2 ns, latency: 1.9 ns, refresh: 4 ns, "
                                     "intervals: 45 us, roles: [model]}\n",
                                     "model_edram");
    CHECK(row_seconds("    kv_edram: {layout: plain, roles: [model, kv]}\n", "kv_edram") > model);
}
