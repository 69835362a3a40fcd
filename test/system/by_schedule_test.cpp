// SPDX-License-Identifier: Apache-2.0
// Whole runs whose DRAM's streams are scheduled, against the same priced by kind of mix.
// test/bench/dram/by_schedule.py prints more machines.
#include "test/system/program.hpp"

using levee::test::Workplace;

namespace {

using Texts = std::vector<std::string>;

/// Figures of a run by schedule, as ratios to those by kind.
nlohmann::json ratios(const Workplace& place, const std::string& scenario, const Texts& overrides,
                      const std::string& memory = "dram")
{
    const auto run = [&](const std::string& prices) {
        Texts command{"run", scenario, "--quiet", "--out", prices};
        for (const std::string& text : overrides)
            command.insert(command.end(), {"--set", text});
        command.insert(command.end(), {"--set", "system.memories." + memory +
                                                    ".standard.controller.prices=" + prices});
        REQUIRE(place.levee(command).code == 0);
        return place.results(prices)["metrics"];
    };
    const nlohmann::json kind = run("by_kind"), schedule = run("by_schedule");
    nlohmann::json result;
    for (const char* figure : {"sim.seconds", "prefill.seconds", "decode.seconds"})
        if (kind.value(figure, 0.0) > 0)
            result[figure] = schedule[figure].get<double>() / kind[figure].get<double>();
    return result;
}

} // namespace

TEST_CASE("long streams by schedule take the time that they take by kind")
{
    const Workplace place;
    const std::string layer = "model.shape.layers=1", all = "sampling=off";
    struct Case {
        Texts overrides;
        std::string why;
    };
    const std::vector<Case> cases{
        {{layer, all, "workload.batch=16", "workload.prompt_tokens=16",
          "workload.max_new_tokens=3"},
         "decode: an array's stream of 16 KiB beside one of many megabytes"},
        {{layer, all, "workload.batch=1", "workload.prompt_tokens=128",
          "workload.max_new_tokens=2"},
         "prefill: products at the array's pace"}};
    for (const Case& one : cases) {
        const nlohmann::json seen = ratios(place, "kelle/kelle_edram", one.overrides);
        CHECK(seen.size() == 3);
        for (const auto& [figure, ratio] : seen.items()) {
            INFO(one.why << ": " << figure);
            CHECK(ratio.get<double>() == Approx(1).margin(0.02));
        }
    }
}

TEST_CASE("the machines' demos by schedule take what they take by kind, but for short transfers")
{
    const Workplace place;
    struct Case {
        std::string scenario, memory;
        double margin;
    };
    // The baseline's demo has operands of 4 to 22 KiB in DRAM, for which prices by kind are not.
    for (const Case& one : {Case{"demo", "dram", 0.04}, Case{"kelle/demo", "dram", 0.005},
                            Case{"veda/demo", "hbm", 0.005}, Case{"cambricon/demo", "dram", 0.005},
                            Case{"pim/titanus_demo", "hbm", 0.005}}) {
        const nlohmann::json seen = ratios(place, one.scenario, {}, one.memory);
        CHECK(seen.size() == 3);
        for (const auto& [figure, ratio] : seen.items()) {
            INFO(one.scenario << ": " << figure);
            CHECK(ratio.get<double>() == Approx(1).margin(one.margin));
        }
    }
}
