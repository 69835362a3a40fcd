// SPDX-License-Identifier: Apache-2.0
// Tests timing-only runs of mixtures whose experts are drawn at random: the bytes read in a step,
// and the effect of the seed.
#include "test/system/program.hpp"

#include <algorithm>

using namespace levee;
using namespace levee::test;

namespace {

nlohmann::json run(const Workplace& place, std::vector<std::string> more)
{
    place.write("scenario.yaml",
                "data: timing_only\n"
                "model: {shape: {extends: models/olmoe-1b-7b.yaml, layers: 2}, max_context: 256}\n"
                "system: systems/original.yaml\n"
                "kv_cache: {policy: full}\n"
                "workload: {app: generate, scheduler: baseline, prompt_tokens: 130, "
                "max_new_tokens: 3, batch: 4, context: 160}\n"
                "decisions: {statistics: tech/decisions/embedded.yaml}\n");
    std::vector<std::string> arguments{"run", "scenario.yaml", "--out", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = place.levee(arguments);
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    return place.results("out");
}

bool warns(const nlohmann::json& results, const std::string& text)
{
    for (const auto& warning : results.at("warnings"))
        if (warning.get<std::string>().find(text) != std::string::npos)
            return true;
    return false;
}

} // namespace

TEST_CASE("drawn experts: a seed changes the draw, and the same one repeats it")
{
    const Workplace place;
    const auto bytes = [&](const std::string& seed) {
        return run(place, {"--seed", seed}).at("metrics").at("dram.read_bytes");
    };
    CHECK(bytes("1") == bytes("1"));
    CHECK((bytes("1") != bytes("2") || bytes("1") != bytes("3")));
}

TEST_CASE("drawn experts: the results state the configured skew")
{
    const Workplace place;
    CHECK(warns(run(place, {}), "8 of 64 experts are drawn, all equally likely"));
    CHECK(warns(run(place, {"--set", "decisions.expert_skew=10"}),
                "the i-th in proportion to i^-10 (decisions.expert_skew)"));
    CHECK(warns(run(place, {"--set", "decisions.expert_skew=10", "--set", "model.shape.experts=0",
                            "--set", "model.shape.chosen=0"}),
                "decisions.expert_skew has no effect, since the model has no experts"));
}

TEST_CASE("drawn experts: the results also state the experts of a draft model")
{
    const Workplace place;
    const nlohmann::json results =
        run(place, {"--set", "model.shape.experts=0", "--set", "model.shape.chosen=0", "--set",
                    "decisions.expert_skew=2", "--set", "workload.batch=1", "--set",
                    "workload.sampling=greedy", "--set",
                    "workload.speculation={tokens: 2, acceptance: 0.5, draft: {shape: {extends: "
                    "models/olmoe-1b-7b.yaml, layers: 1}}}"});
    CHECK(warns(results, "8 of 64 experts are drawn, the i-th in proportion to i^-2"));
    CHECK_FALSE(warns(results, "expert_skew has no effect"));
}

TEST_CASE("drawn experts: a prefill chunk of any size runs, however many rows its products share")
{
    const Workplace place;
    double least = 0, most = 0;
    for (const char* const chunk : {"16", "64", "128"}) {
        const double seconds = run(place, {"--set", std::string("workload.prefill_chunk=") + chunk})
                                   .at("metrics")
                                   .at("prefill.seconds");
        least = least == 0 ? seconds : std::min(least, seconds);
        most = std::max(most, seconds);
    }
    CHECK(most < 4 * least); // A chunk that uses all experts reads each of them once.
}
