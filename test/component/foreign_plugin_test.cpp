// SPDX-License-Identifier: Apache-2.0
// Runs the demo with a memory of the TLM-2.0 base protocol. The story does not change; the time
// follows the memory's speed.
#include "test/system/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace levee::test;

namespace {

/// Runs the demo's first tokens with activations in the SRAM, or in a memory of the plug-in.
nlohmann::json demo(const Workplace& place, const std::string& name, const std::string& memory)
{
    const std::string own =
        memory.empty() ? "" : "  memories:\n    sram: {roles: []}\n    far: " + memory + "\n";
    place.write(name + ".yaml", "extends: demo.yaml\nsystem:\n  components: [" +
                                    std::string(LEVEE_FOREIGN_PLUGIN) + "]\n" + own +
                                    "workload: {max_new_tokens: 3}\n");
    const Outcome outcome =
        place.levee({"run", name + ".yaml", "--allow-outside", "--quiet", "--out", name});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results(name);
}

} // namespace

TEST_CASE("a run with activations in a foreign memory tells the same story")
{
    const Workplace place;
    const auto usual = demo(place, "usual", "");
    const std::string keys = ", size: 4 MiB, burst: 64, roles: [activations], latency: ";
    const auto fast = demo(place, "fast", "{type: lt_memory" + keys + "1 ns}");
    const auto slow = demo(place, "slow", "{type: lt_memory" + keys + "40 ns}");
    const auto phases = demo(place, "phases", "{type: at_memory" + keys + "40 ns}");
    for (const auto& other : {fast, slow, phases})
        CHECK(other["text"] == usual["text"]);
    const auto seconds = [](const nlohmann::json& results) {
        return results["metrics"]["decode.seconds"].get<double>();
    };
    const auto warnings = slow["warnings"].get<std::vector<std::string>>();
    CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("far: transactions with") != std::string::npos;
    }));
    // The memory does not change which requests the blocks make.
    for (const char* figure : {"read_bytes", "write_bytes"})
        CHECK(slow["metrics"][std::string("far.") + figure] ==
              usual["metrics"][std::string("sram.") + figure]);
    CHECK(seconds(slow) > 1.5 * seconds(fast));
    // The loosely and the approximately timed memory get the same transactions and take the same
    // time.
    CHECK(seconds(phases) == Approx(seconds(slow)).epsilon(0.02));
}

TEST_CASE("an initiator in the approximately timed style reads while the program runs")
{
    const Workplace place;
    const auto usual = demo(place, "usual", "");
    const std::uint64_t model = 0x1'0000'0000;
    place.write("traffic.yaml",
                "extends: usual.yaml\nsystem:\n  blocks:\n    traffic: {type: at_traffic, "
                "from: " +
                    std::to_string(model) + ", words: 100}\n");
    const Outcome outcome =
        place.levee({"run", "traffic.yaml", "--allow-outside", "--quiet", "--out", "traffic"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const auto results = place.results("traffic");
    CHECK(results["text"] == usual["text"]);
    CHECK(results["metrics"]["traffic.good"] == 100);
    CHECK(results["metrics"]["traffic.faults"] == 0);
}
