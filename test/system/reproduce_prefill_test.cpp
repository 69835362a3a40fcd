// SPDX-License-Identifier: Apache-2.0
// Tests runs of `levee reproduce` that start from another run's prefill.
#include "test/system/paper.hpp"

using levee::test::Outcome;
using levee::test::Paper;
using levee::test::reproducible;

namespace {

using Settings = std::vector<std::string>;

const Settings small{"model.shape.layers=1",  "workload.batch=3",    "workload.prompt_tokens=300",
                     "workload.context=1300", "kv_cache.budget=400", "kv_cache.recent_window=200"};

Settings with(Settings settings, const std::string& one)
{
    settings.push_back(one);
    return settings;
}

/// Returns settings in the form of a scenario's `set`.
std::string list(const Settings& settings)
{
    std::string text;
    for (const std::string& setting : settings)
        text += (text.empty() ? "" : ", ") + ("\"" + setting + "\"");
    return "[" + text + "]";
}

/// Returns a paper with these runs. Its row is the sum of the runs in `names`.
Paper paper_of(const std::string& runs, const std::vector<std::string>& names)
{
    std::string sum;
    for (const std::string& name : names)
        sum += (sum.empty() ? "seconds(" : " + seconds(") + name + ")";
    return Paper(runs + "rows:\n  T03: {value: " + sum + ", kind: value, note: n}\n");
}

/// Compares a run's results with those of the run alone.
void check_alone(const Paper& paper, const std::string& run, const std::string& scenario,
                 const Settings& settings)
{
    std::vector<std::string> alone{"run", scenario, "--quiet", "--out", "alone"};
    for (const std::string& one : settings)
        alone.insert(alone.end(), {"--set", one});
    REQUIRE(paper.place.levee(alone).code == 0);
    INFO(run);
    const std::string folder = "out/runs/" + run + "/";
    CHECK(reproducible(paper.place.results(folder)) == reproducible(paper.place.results("alone")));
    for (const std::string file : {"sampling.csv", "bounds.csv", "energy.csv"})
        CHECK(paper.place.read(folder + file) == paper.place.read("alone/" + file));
}

std::string log_of(const Paper& paper, const std::string& run)
{
    return paper.place.read("out/runs/" + run + "/log.txt");
}

void reproduce(const Paper& paper)
{
    const Outcome outcome = paper.reproduce({"--jobs", "1"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
}

} // namespace

TEST_CASE(
    "runs with different sampling of decode steps are the same alone and after a shared prefill")
{
    const Settings settings = with(small, "workload.max_new_tokens=1000");
    const Settings final_lengths = with(settings, "sampling.lengths=final");
    const std::string scenario = "{scenario: kelle/kelle_edram.yaml, set: ";
    const Paper paper = paper_of("runs:\n  growing: " + scenario + list(settings) +
                                     "}\n  final: " + scenario + list(final_lengths) + "}\n",
                                 {"growing", "final"});
    reproduce(paper);
    check_alone(paper, "growing", "kelle/kelle_edram", settings);
    check_alone(paper, "final", "kelle/kelle_edram", final_lengths);
    // The run whose name comes first executes the prefill. Both runs print a warning.
    CHECK_THAT(log_of(paper, "growing"),
               Catch::Contains("prefill: shared with the run final\n") &&
                   Catch::Contains("'kv_cache.recompute: hidden' has no effect"));
    CHECK_THAT(log_of(paper, "final"),
               Catch::Contains("'kv_cache.recompute: hidden' has no effect"));
}

TEST_CASE(
    "runs with different numbers of decoded tokens are the same alone and after a shared prefill")
{
    const Paper paper = paper_of(
        "axes:\n  decoded: {d30: workload.max_new_tokens=30, d2: workload.max_new_tokens=2, "
        "d900: workload.max_new_tokens=900}\n"
        "runs:\n  long: {scenario: kelle/kelle_edram.yaml, axes: [decoded], shared_prefill: true, "
        "set: " +
            list(small) + "}\n",
        {"long/d30", "long/d2", "long/d900"});
    reproduce(paper);
    for (const std::string decoded : {"2", "30", "900"})
        check_alone(paper, "long/d" + decoded, "kelle/kelle_edram",
                    with(small, "workload.max_new_tokens=" + decoded));
    for (const std::string run : {"long/d30", "long/d900"})
        CHECK_THAT(log_of(paper, run), Catch::Contains("prefill: shared with the run long/d2\n"));
}

TEST_CASE(
    "runs of a model with texts share no prefill, because space for the text is reserved before it")
{
    const Settings settings{
        "data=timing_only",         "decisions.statistics=tech/decisions/embedded.yaml",
        "workload.stop_token=none", "workload.prefill_chunk=4",
        "sampling.steps=4",         "sampling.chunks=2"};
    const Paper paper = paper_of(
        "axes:\n  decoded: {d9: workload.max_new_tokens=9, d90: workload.max_new_tokens=90}\n"
        "runs:\n  text: {scenario: kelle/demo.yaml, axes: [decoded], shared_prefill: true, set: " +
            list(settings) + "}\n",
        {"text/d9", "text/d90"});
    reproduce(paper);
    check_alone(paper, "text/d90", "kelle/demo", with(settings, "workload.max_new_tokens=90"));
}

TEST_CASE("runs share no prefill if a component knows the final number of tokens")
{
    const Settings settings{"system.memories.cim.reading={extends: pim/readings/sample.yaml}",
                            "model.shape.layers=1",
                            "workload.prompt_tokens=80",
                            "workload.context=200",
                            "sampling.chunks=2",
                            "sampling.steps=4"};
    const Paper paper = paper_of(
        "axes:\n  decoded: {d9: workload.max_new_tokens=9, d90: workload.max_new_tokens=90}\n"
        "runs:\n  titanus: {scenario: pim/titanus_125m.yaml, axes: [decoded], shared_prefill: "
        "true, "
        "set: " +
            list(settings) + "}\n",
        {"titanus/d9", "titanus/d90"});
    reproduce(paper);
    check_alone(paper, "titanus/d90", "pim/titanus_125m",
                with(settings, "workload.max_new_tokens=90"));
}

TEST_CASE("runs whose shared prefill fails run and are reported one by one")
{
    const std::string set = "scenario: kelle/kelle_edram.yaml, set: [workload.scheduler=nobody";
    const Paper paper("runs:\n  growing: {" + set + "]}\n  final: {" + set +
                      ", sampling.lengths=final]}\n"
                      "rows:\n"
                      "  T03: {value: seconds(growing), kind: value, note: n}\n"
                      "  T05: {value: seconds(final), kind: value, note: n}\n");
    const Outcome outcome = paper.reproduce();
    CHECK(outcome.code == 1);
    for (const std::string run : {"growing", "final"}) {
        CHECK_THAT(outcome.text, Catch::Contains(run + ": the run ended with exit code "));
        CHECK_THAT(paper.place.read("out/runs/" + run + "/log.txt"), Catch::Contains("nobody"));
    }
}
