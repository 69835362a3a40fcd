// SPDX-License-Identifier: Apache-2.0
// Compares whole runs whose DRAM streams are scheduled burst by burst with the same runs whose
// streams are priced by kind. test/bench/dram/by_schedule.py prints more machines.
#include "test/system/program.hpp"

using levee::test::Workplace;

namespace {

using Texts = std::vector<std::string>;

/// Returns the figures of a run that prices its DRAM streams as `prices` says.
nlohmann::json metrics_of(const Workplace& place, const std::string& scenario, Texts overrides,
                          const std::string& prices, const std::string& memory = "dram")
{
    if (!prices.empty())
        overrides.push_back("system.memories." + memory + ".standard.controller.prices=" + prices);
    Texts command{"run", scenario, "--quiet", "--out", "out_" + prices};
    for (const std::string& text : overrides)
        command.insert(command.end(), {"--set", text});
    REQUIRE(place.levee(command).code == 0);
    return place.results("out_" + prices)["metrics"];
}

/// Returns the figures of a run with prices by schedule, divided by those with prices by kind.
nlohmann::json ratios(const Workplace& place, const std::string& scenario, const Texts& overrides,
                      const std::string& memory = "dram")
{
    const nlohmann::json kind = metrics_of(place, scenario, overrides, "by_kind", memory);
    const nlohmann::json schedule = metrics_of(place, scenario, overrides, "by_schedule", memory);
    nlohmann::json result;
    for (const char* figure : {"sim.seconds", "prefill.seconds", "decode.seconds"})
        if (kind.value(figure, 0.0) > 0)
            result[figure] = schedule[figure].get<double>() / kind[figure].get<double>();
    return result;
}

} // namespace

TEST_CASE("long streams take the same time when priced by schedule and by kind")
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

TEST_CASE("demos take the same time by schedule and by kind, except for short transfers")
{
    const Workplace place;
    struct Case {
        std::string scenario, memory;
        double margin;
    };
    // The baseline's demo has operands of 4 to 22 KiB in DRAM, which are too short for prices by
    // kind.
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

TEST_CASE("a run of short transfers chooses the schedule without being told")
{
    const Workplace place;
    for (const auto& [scenario, overrides] :
         {std::pair<std::string, Texts>{"demo", {}}, {"perplexity", {"workload.max_tokens=60"}}}) {
        INFO(scenario);
        const nlohmann::json own = metrics_of(place, scenario, overrides, "");
        const nlohmann::json schedule = metrics_of(place, scenario, overrides, "by_schedule");
        CHECK(own["sim.seconds"].get<double>() ==
              Approx(schedule["sim.seconds"].get<double>()).epsilon(0.003));
        const double moved =
            own["dram.read_bytes"].get<double>() + own["dram.write_bytes"].get<double>();
        CHECK(own["dram.scheduled_bytes"].get<double>() > 0.8 * moved);
    }
}

TEST_CASE("a run of long or few transfers keeps prices by kind")
{
    const Workplace place;
    struct Case {
        std::string scenario, memory;
        Texts overrides;
    };
    const Texts layer{"model.shape.layers=1", "sampling={steps: 2, chunks: 2}"};
    for (const Case& one : {Case{"kelle/demo", "dram", {}}, Case{"cambricon/demo", "dram", {}},
                            Case{"veda/demo", "hbm", {}}, Case{"kelle/kelle_edram", "dram", layer},
                            Case{"cambricon/decode_512", "dram", layer}}) {
        INFO(one.scenario);
        const nlohmann::json own = metrics_of(place, one.scenario, one.overrides, "");
        const nlohmann::json kind =
            metrics_of(place, one.scenario, one.overrides, "by_kind", one.memory);
        CHECK_FALSE(own.contains(one.memory + ".scheduled_bytes"));
        for (const auto& [name, value] : kind.items())
            if (!name.starts_with("host.")) {
                INFO(name);
                CHECK(own[name] == value);
            }
    }
}
