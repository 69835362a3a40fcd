// SPDX-License-Identifier: Apache-2.0
// Tests how wear, failed dies and a slower channel affect the speed and the text of a model in
// flash.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

struct Told {
    nlohmann::json tokens, metrics;
    [[nodiscard]] double seconds() const { return metrics["sim.seconds"]; }
};

Told story(const Workplace& place, const std::string& flash)
{
    std::vector<std::string> arguments{
        "run", "cambricon/demo", "--quiet", "--no-report", "--set", "workload.max_new_tokens=16"};
    if (!flash.empty())
        arguments.insert(arguments.end(), {"--set", "system.memories.flash." + flash});
    REQUIRE(place.levee(arguments).code == 0);
    const nlohmann::json results = place.results("out/demo");
    return {results["tokens"], results["metrics"]};
}

} // namespace

TEST_CASE("data read from flash by address are no request of a core, and a warning says so")
{
    const Workplace place;
    const auto warnings = [&](const std::string& memories) {
        REQUIRE(place
                    .levee({"run", "hello", "--quiet", "--no-report", "--set",
                            "system={extends: systems/flash.yaml" + memories + "}"})
                    .code == 0);
        return place.results("out/hello")["warnings"].dump();
    };
    const std::string words = "flash is read by address: these reads run at its peak rate";
    CHECK(warnings("").find(words) == std::string::npos);
    CHECK(
        warnings(", memories: {flash: {roles: [model]}, dram: {roles: [kv, spill]}}").find(words) !=
        std::string::npos);
}

TEST_CASE("wear, failed dies and slower channels change speed and text as expected")
{
    const Workplace place;
    const Told sound = story(place, "");
    CHECK(sound.metrics["flash.lost_pages"] == 0);

    const Told lost = story(place, "failed_dies=[{channel: 0, die: 1}]");
    CHECK(lost.tokens != sound.tokens);
    CHECK(lost.metrics["flash.lost_pages"] > 0);

    const Told later = story(place, "failed_dies=[{channel: 0, die: 1, at: 1000 s}]");
    CHECK(later.tokens == sound.tokens);

    const Told moved = story(place, "failed_dies=[{channel: 0, die: 1, moved_to: 0}]");
    CHECK(moved.tokens == sound.tokens);
    CHECK(moved.seconds() > sound.seconds());
    CHECK(moved.metrics["flash.computed_pages"] == sound.metrics["flash.computed_pages"]);

    const Told slow = story(place, "channel_rates=[{channel: 1, rate: 100 MB/s}]");
    CHECK(slow.tokens == sound.tokens);
    CHECK(slow.seconds() > sound.seconds());

    const std::string curve = "errors={extends: tech/flash/tlc_3d.yaml, age: 36000 s, cycles: ";
    const Told fresh = story(place, curve + "0}"), worn = story(place, curve + "3000}");
    CHECK(worn.tokens != sound.tokens);
    CHECK(worn.metrics["flash.raw_bit_errors"] >
          50 * fresh.metrics["flash.raw_bit_errors"].get<double>());
    // The text differs. Printing it changes the core's time, but not the flash's.
    CHECK(worn.metrics["flash.busy_seconds"] == sound.metrics["flash.busy_seconds"]);
    const Told young =
        story(place, "errors={extends: tech/flash/tlc_3d.yaml, age: 0 s, cycles: 3000}");
    CHECK(young.metrics["flash.raw_bit_errors"] < worn.metrics["flash.raw_bit_errors"]);
}
