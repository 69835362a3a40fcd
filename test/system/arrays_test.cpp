// SPDX-License-Identifier: Apache-2.0
// Tests systems with several arrays that their scenario alone defines. More arrays produce the same
// tokens, and a prefill that the arrays limit gets faster almost in proportion to their number.
#include "test/system/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

using namespace levee::test;

namespace {

const std::string two = "system=systems/two_arrays.yaml";

/// Writes a system with an additional array.
std::string three(const Workplace& place)
{
    place.write("three_arrays.yaml",
                "extends: " + std::string(LEVEE_SOURCE) +
                    "/scenarios/systems/two_arrays.yaml\nname: three_arrays\nblocks:\n"
                    "  rsa3: {type: rsa, rows: 24, columns: 24, load_bytes_per_cycle: 128, "
                    "accumulator_rows: 512}\n");
    // The path is relative to the folder from which the run starts.
    return "system=three_arrays.yaml";
}

nlohmann::json results_of(const Workplace& place, const std::string& scenario,
                          const std::vector<std::string>& settings)
{
    std::vector<std::string> command{"run", scenario, "--quiet", "--out", "out"};
    for (const std::string& setting : settings) {
        command.emplace_back("--set");
        command.push_back(setting);
    }
    const Outcome outcome = place.levee(command);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out");
}

std::uint64_t macs(const nlohmann::json& metrics)
{
    std::uint64_t sum = 0;
    for (const char* array : {"rsa", "rsa2", "rsa3"})
        sum += metrics.value(std::string(array) + ".macs", std::uint64_t{0});
    return sum;
}

} // namespace

TEST_CASE("arrays share a model's products with the tokens and the work of a single array")
{
    const Workplace place;
    const std::vector<std::string> short_run{"workload.max_new_tokens=12"};
    const auto with = [&](std::vector<std::string> settings) {
        settings.insert(settings.end(), short_run.begin(), short_run.end());
        return results_of(place, "demo", settings);
    };
    const nlohmann::json one = with({});
    for (const std::string& arrays : {two, three(place)}) {
        const nlohmann::json more = with({arrays});
        CHECK(more.at("tokens") == one.at("tokens"));
        CHECK(more.at("text") == one.at("text"));
        const auto& metrics = more.at("metrics");
        CHECK(macs(metrics) == macs(one.at("metrics")));
        CHECK(metrics.at("rsa2.macs").get<std::uint64_t>() > 0);
        CHECK(metrics.at("dram.read_bytes") == one.at("metrics").at("dram.read_bytes"));
    }
}

TEST_CASE(
    "a prefill of Llama2-7B that is limited by the array is nearly twice as fast on two arrays")
{
    const Workplace place;
    const auto seconds = [&](const std::vector<std::string>& settings) {
        return results_of(place, "kelle/hand/prefill_512", settings)
            .at("metrics")
            .at("prefill.seconds")
            .get<double>();
    };
    const std::string one = "system=systems/original.yaml";
    CHECK(seconds({one}) / seconds({two}) > 1.9);
    CHECK(seconds({one}) / seconds({three(place)}) > 2.7);
}

TEST_CASE(
    "arrays of different sizes share by their PEs, finish together and give one array's tokens")
{
    const Workplace place;
    // The third array has a quarter of the PEs, so each larger array takes four of five folds.
    const std::string unlike = "system=unlike_arrays.yaml";
    place.write("unlike_arrays.yaml",
                "extends: " + std::string(LEVEE_SOURCE) +
                    "/scenarios/systems/original.yaml\nname: unlike_arrays\nblocks:\n"
                    "  rsa2: {type: rsa, rows: 12, columns: 12, load_bytes_per_cycle: 128, "
                    "accumulator_rows: 512}\n");
    const std::string one = "system=systems/original.yaml";
    const auto prefill = [&](const std::string& system) {
        return results_of(place, "kelle/hand/prefill_512", {system}).at("metrics");
    };
    const nlohmann::json alone = prefill(one), shared = prefill(unlike);
    CHECK(macs(shared) == macs(alone));
    CHECK(shared.at("rsa.macs").get<double>() / macs(alone) == Approx(0.8).epsilon(0.02));
    const double faster =
        alone.at("prefill.seconds").get<double>() / shared.at("prefill.seconds").get<double>();
    CHECK(faster > 1.18); // The ideal factor is 1.25.
    const std::vector<std::string> few{unlike, "workload.max_new_tokens=12"};
    CHECK(results_of(place, "demo", few).at("tokens") ==
          results_of(place, "demo", {few[1]}).at("tokens"));
}
