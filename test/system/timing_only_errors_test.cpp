// SPDX-License-Identifier: Apache-2.0
// Tests error messages about timing-only runs that are impossible.
#include "test/system/program.hpp"

using namespace levee::test;

namespace {

const std::vector<std::string> base{
    "run", "kelle/demo", "--quiet", "--set", "workload.max_new_tokens=4", "--out", "out"};

Outcome run(const Workplace& place, const std::vector<std::string>& more)
{
    std::vector<std::string> command = base;
    command.insert(command.end(), more.begin(), more.end());
    return place.levee(command);
}

void refused(const Workplace& place, const std::vector<std::string>& more, const std::string& words)
{
    const Outcome outcome = run(place, more);
    CHECK(outcome.code != 0);
    CHECK_THAT(outcome.text, Catch::Contains(words));
}

const std::string timing_only = "data=timing_only";

} // namespace

TEST_CASE("timing-only errors: exactly one source of decisions is needed, and only in these runs")
{
    const Workplace place;
    refused(place, {"--set", timing_only}, "has no source of decisions");
    refused(place, {"--set", timing_only, "--set", "decisions={}"},
            "'decisions' has neither of 'recorded' and 'statistics'");
    REQUIRE(run(place, {"--record-decisions", "decisions"}).code == 0);
    const std::string recorded = "decisions.recorded=decisions";
    refused(place, {"--set", recorded}, "'decisions' has no effect with 'data: functional'");
    refused(place,
            {"--set", timing_only, "--set", recorded, "--set",
             "decisions.statistics=tech/decisions/embedded.yaml"},
            "'decisions' has both of");
    refused(place, {"--set", timing_only, "--set", "decisions.recorded=nowhere"}, "nowhere");
    refused(place, {"--set", timing_only, "--set", recorded, "--record-decisions", "more"},
            "a timing-only run makes no decisions");
    refused(place,
            {"--set", timing_only, "--set", recorded, "--set", "system.blocks.evictor.impl=rtl"},
            "must be tlm with 'data: timing_only'");
}

TEST_CASE("timing-only errors: a recording of another run, and a file that is no recording")
{
    const Workplace place;
    REQUIRE(run(place, {"--record-decisions", "decisions"}).code == 0);
    const std::vector<std::string> replay{"--set", timing_only, "--set",
                                          "decisions.recorded=decisions"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> command = replay;
        command.insert(command.end(), more.begin(), more.end());
        return command;
    };
    CHECK(run(place, replay).code == 0);
    refused(place, with({"--set", "kv_cache.budget=100"}),
            "kv_cache.budget is 128 in the recording, but 100 in this run");
    refused(place, with({"--set", "workload.prompts=[\"Once upon a time Ben\"]"}),
            "prompts' lengths");
    refused(place, with({"--set", "workload.scheduler=baseline"}),
            "workload.scheduler is kelle in the recording, but baseline in this run");
    refused(place, with({"--seed", "9"}), "seed is 3 in the recording, but 9 in this run");
    place.write("decisions", "kv_cache: {policy: full}\n");
    refused(place, replay, "is not a recording of decisions");
}

TEST_CASE("timing-only errors: a user's program is identified by its content, not by its name")
{
    const Workplace place;
    const std::string firmware = LEVEE_FIRMWARE_DIR;
    for (const char* folder : {"mine", "moved", "other"})
        std::filesystem::create_directories(place.path(folder));
    std::filesystem::copy(firmware + "/generate.elf", place.path("mine/program.elf"));
    std::filesystem::copy(firmware + "/generate.elf", place.path("moved/named.elf"));
    std::filesystem::copy(firmware + "/recall.elf", place.path("other/program.elf"));
    REQUIRE(run(place, {"--elf", "mine/program.elf", "--record-decisions", "decisions"}).code == 0);
    const auto replay = [](const std::vector<std::string>& program) {
        std::vector<std::string> command{"--set", timing_only, "--set",
                                         "decisions.recorded=decisions"};
        command.insert(command.end(), program.begin(), program.end());
        return command;
    };
    CHECK(run(place, replay({"--elf", "moved/named.elf"})).code == 0);
    CHECK(run(place, replay({"--set", "workload.app=moved/named.elf"})).code == 0);
    const std::string recorded = "recorded by another run: program is an ELF file of content ";
    refused(place, replay({"--elf", "other/program.elf"}), recorded);
    refused(place, replay({"--set", "workload.app=other/program.elf"}), recorded);
    refused(place, replay({}),
            "another run: workload.app is absent in the recording, but generate in this run");
}

TEST_CASE("timing-only errors: latencies and intervals may differ from the recording")
{
    const Workplace place;
    // The run ends at 0.88 ms, midway between two sweeps of 0.36 ms.
    const std::string tokens = "workload.max_new_tokens=24";
    REQUIRE(run(place, {"--record-decisions", "decisions", "--set", tokens}).code == 0);
    const std::vector<std::string> replay{"--set", timing_only, "--set",
                                          tokens,  "--set",     "decisions.recorded=decisions"};
    REQUIRE(run(place, replay).code == 0);
    const auto metrics_with = [&](const std::string& other) {
        std::vector<std::string> command = replay;
        command.insert(command.end(), {"--set", other});
        REQUIRE(run(place, command).code == 0);
        return place.results("out").at("metrics");
    };
    const auto of = [](const auto& metrics, const std::string& name) {
        return metrics.at(name).template get<double>();
    };
    const auto as_recorded = place.results("out").at("metrics");
    const auto slower = metrics_with("system.bus.latency=200 ns");
    CHECK(of(slower, "sim.seconds") > 1.1 * of(as_recorded, "sim.seconds"));
    CHECK(of(slower, "kv_edram.interval_s.high_msb") ==
          of(as_recorded, "kv_edram.interval_s.high_msb"));

    // The existing rows are refreshed as often as they become due.
    const auto oftener = metrics_with("kv_cache.refresh.high_msb=0.01 ms");
    const double due = of(oftener, "kv_edram.valid_row_seconds.high_msb") / 0.01e-3;
    CHECK(due > 30 * of(as_recorded, "kv_edram.refresh.high_msb"));
    CHECK(of(oftener, "kv_edram.refresh.high_msb") == Approx(due).epsilon(0.1));
    for (const std::string group : {"high_lsb", "low_msb", "low_lsb"})
        CHECK(of(oftener, "kv_edram.interval_s." + group) ==
              of(as_recorded, "kv_edram.interval_s." + group));
}

TEST_CASE("timing-only errors: statistics that are incomplete or do not fit the policy")
{
    const Workplace place;
    const auto with = [&](const std::string& text) {
        place.write("mine.yaml", text);
        return std::vector<std::string>{"--set", timing_only, "--set",
                                        "decisions.statistics=mine.yaml"};
    };
    const std::string row = "{budget: 64, holders: 0.9, newest_victims: 0.9, high_victims: 0.5, "
                            "popular: 0.7, turnover: 0.8, arrivals_high: 0, swaps: 0.001}";
    CHECK(run(place, with("softmax: [" + row + "]\n")).code == 0);
    refused(place, with("logit: [" + row + "]\n"), "no statistics of 'softmax'");
    refused(place, with("softmax: [" + row + ", " + row + "]\n"),
            "expected a higher budget than in the previous map");
    refused(place, with("softmax: [{budget: 64}]\n"), "holders");
    refused(place, with("softmax: 3\n"), "is a single value; expected a");
    refused(place, with("softmaxx: [" + row + "]\n"), "softmax");
}
