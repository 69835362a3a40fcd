// SPDX-License-Identifier: Apache-2.0
// Tests `levee compare`, which compares result folders.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

TEST_CASE("comparing timing-only runs, a slower memory explains the time, and its key is named")
{
    const Workplace place;
    for (const auto& [out, bandwidth] :
         {std::pair{"a/run", "256 GB/s"}, std::pair{"b/run", "16 GB/s"}})
        REQUIRE(place
                    .levee({"run", "kelle/kelle_edram", "--quiet", "--out", out, "--set",
                            "sampling.steps=2", "--set", "sampling.chunks=2", "--set",
                            "workload.max_new_tokens=32", "--set",
                            std::string("system.bus.port_bandwidth=") + bandwidth})
                    .code == 0);
    const Outcome outcome = place.levee({"compare", "a/run", "b/run", "--csv", "table.csv"});
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.text, Catch::Contains("a/run") && Catch::Contains("b/run"));
    CHECK_THAT(outcome.text, Catch::Contains("time by phase [s]"));
    CHECK_THAT(outcome.text, Catch::Contains("system.bus.port_bandwidth"));
    CHECK_THAT(place.read("table.csv"), Catch::Contains("headline,decode.tokens_per_s,"));
    CHECK(place.levee({"compare", "a/run", "b/run", "--out", "both", "--quiet"}).text.empty());
    const auto data = nlohmann::json::parse(place.read("both/compare.json"));
    CHECK(data["runs"].size() == 2);
    CHECK(data["scenario"][0]["name"] == "system.bus.port_bandwidth");
    CHECK(place.read("both/compare.txt") == outcome.text);
    const std::string results = place.read("a/run/results.json");
    const Outcome csv =
        place.levee({"compare", "a/run", "b/run", "--csv", "b/../a/run/results.json"});
    CHECK(csv.code == 2);
    CHECK_THAT(csv.text, Catch::Contains("has the results of a run; expected another file"));
    const Outcome out = place.levee({"compare", "a/run", "b/run", "--out", "a/../b/run"});
    CHECK(out.code == 2);
    CHECK_THAT(out.text, Catch::Contains("is the folder of a run"));
    CHECK(place.read("a/run/results.json") == results);
    CHECK_FALSE(std::filesystem::exists(place.path("b/run/compare.txt")));
    const Outcome none = place.levee({"compare", "a/run", "c"});
    CHECK(none.code == 2);
    CHECK_THAT(none.text,
               Catch::Contains("c/results.json: no such file; expected the folder of a run"));
    CHECK(place.levee({"compare", "a/run"}).code == 2);
}
