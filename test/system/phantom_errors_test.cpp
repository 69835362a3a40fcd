// What is said of phantom runs that cannot be.
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

const std::string phantom = "data=phantom";

} // namespace

TEST_CASE("phantom errors: a source of decisions is needed, one, and only then")
{
    const Workplace place;
    refused(place, {"--set", phantom}, "nothing says what the data would decide");
    refused(place, {"--set", phantom, "--set", "decisions={}"},
            "'decisions' has neither of 'recorded' and 'statistics'");
    REQUIRE(run(place, {"--record-decisions", "decisions"}).code == 0);
    const std::string recorded = "decisions.recorded=decisions";
    refused(place, {"--set", recorded}, "'decisions' has no effect with 'data: functional'");
    refused(place,
            {"--set", phantom, "--set", recorded, "--set",
             "decisions.statistics=tech/decisions/embedded.yaml"},
            "'decisions' has both of");
    refused(place, {"--set", phantom, "--set", "decisions.recorded=nowhere"}, "nowhere");
    refused(place, {"--set", phantom, "--set", recorded, "--record-decisions", "more"},
            "a phantom run makes no decisions");
    refused(place, {"--set", phantom, "--set", recorded, "--set", "system.blocks.evictor.impl=rtl"},
            "must be tlm with 'data: phantom'");
}

TEST_CASE("phantom errors: a recording of another run, and one that is none")
{
    const Workplace place;
    REQUIRE(run(place, {"--record-decisions", "decisions"}).code == 0);
    const std::vector<std::string> replay{"--set", phantom, "--set",
                                          "decisions.recorded=decisions"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> command = replay;
        command.insert(command.end(), more.begin(), more.end());
        return command;
    };
    CHECK(run(place, replay).code == 0);
    refused(place, with({"--set", "kv_cache.budget=100"}),
            "kv_cache.budget is 128 there, and 100 here");
    refused(place, with({"--set", "workload.prompts=[\"Once upon a time Ben\"]"}),
            "prompts' lengths");
    refused(place, with({"--set", "workload.scheduler=baseline"}),
            "workload.scheduler is kelle there, and baseline here");
    refused(place, with({"--seed", "9"}), "seed is 3 there, and 9 here");
    place.write("decisions", "kv_cache: {policy: full}\n");
    refused(place, replay, "is no recording of decisions");
}

TEST_CASE("phantom errors: latencies and intervals may be others than recorded")
{
    const Workplace place;
    REQUIRE(run(place, {"--record-decisions", "decisions"}).code == 0);
    const std::vector<std::string> replay{"--set", phantom, "--set",
                                          "decisions.recorded=decisions"};
    REQUIRE(run(place, replay).code == 0);
    const double once = place.results("out").at("metrics").at("sim.seconds").get<double>();
    std::vector<std::string> slower = replay;
    slower.insert(slower.end(), {"--set", "system.bus.latency=200 ns", "--set",
                                 "kv_cache.refresh.high_msb=0.2 ms"});
    REQUIRE(run(place, slower).code == 0);
    CHECK(place.results("out").at("metrics").at("sim.seconds").get<double>() > 1.1 * once);
}

TEST_CASE("phantom errors: statistics that are incomplete or do not fit the policy")
{
    const Workplace place;
    const auto with = [&](const std::string& text) {
        place.write("mine.yaml", text);
        return std::vector<std::string>{"--set", phantom, "--set",
                                        "decisions.statistics=mine.yaml"};
    };
    const std::string row = "{budget: 64, holders: 0.9, newest_victims: 0.9, high_victims: 0.5, "
                            "popular: 0.7, turnover: 0.8, arrivals_high: 0, swaps: 0.001}";
    CHECK(run(place, with("softmax: [" + row + "]\n")).code == 0);
    refused(place, with("logit: [" + row + "]\n"), "no statistics of 'softmax'");
    refused(place, with("softmax: [" + row + ", " + row + "]\n"),
            "expected more than the one before");
    refused(place, with("softmax: [{budget: 64}]\n"), "holders");
    refused(place, with("softmax: 3\n"), "expected a list of maps");
    refused(place, with("softmaxx: [" + row + "]\n"), "softmax");
}
