// SPDX-License-Identifier: Apache-2.0
// Tests policy voting on the platform. Every logits vector equals the evicting reference's, which
// follows VEDA's rule token by token. Also tests timing-only runs with its decisions, and errors in
// scenarios.
#include "platform/input/import/synthetic.hpp"
#include "test/system/timing_only_case.hpp"

using namespace levee;
using namespace levee::test;

namespace {

/// Three prompts: one shorter than the budget of 40, one longer, and one that reaches it while
/// decoding.
KelleCase stories()
{
    KelleCase kelle;
    kelle.system.edram = "64 KiB"; // The layers are split over two memories.
    kelle.image = embedded_stories;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 90, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 24;
    kelle.policy = kv_policy(LEVEE_KV_VOTING, 40, 1, 0);
    kelle.voting = {1.0f, 0.2f, 8, 2};
    return kelle;
}

void check(const KelleCase& kelle)
{
    const Workplace place;
    check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
}

} // namespace

TEST_CASE("voting, bit by bit under every scheduler: batch of three, layers in two memories")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
        INFO(scheduler);
        KelleCase kelle = stories();
        kelle.workload = std::string(", scheduler: ") + scheduler;
        check(kelle);
    }
}

TEST_CASE("voting: thresholds, tokens that cast no votes, and protected tokens")
{
    // A deviation factor of 2 puts the threshold below 0 for almost every vector.
    for (const levee_kv_voting& voting :
         {levee_kv_voting{1.0f, 2.0f, 0, 0}, levee_kv_voting{0.5f, 0.0f, 32, 10},
          levee_kv_voting{1.5f, 0.7f, 100, 30}}) {
        INFO("mean " << voting.mean_factor);
        KelleCase kelle = stories();
        kelle.voting = voting;
        kelle.system.edram.clear();
        check(kelle);
    }
}

TEST_CASE("voting: prefills in chunks of any size, and in tiles")
{
    for (const char* chunk : {"1", "7", "64"}) {
        INFO("chunk " << chunk);
        KelleCase kelle = stories();
        kelle.prompts = {drawn_ids(12, 90, 256)};
        kelle.new_tokens = 4;
        kelle.workload = std::string(", prefill_chunk: ") + chunk;
        check(kelle);
    }
    for (const char* sram : {"16 KiB", "40 KiB"}) {
        INFO("sram " << sram);
        KelleCase kelle = stories();
        kelle.system.sram = sram;
        kelle.prompts = {drawn_ids(12, 190, 256), drawn_ids(13, 77, 256)};
        kelle.new_tokens = 4;
        kelle.workload = ", prefill_chunk: 32, scheduler: kelle";
        const Workplace place;
        const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
        CHECK(seen.count("prefill.key_tile") < 100);
        check_bits(kelle, seen);
    }
}

TEST_CASE("voting: grouped queries, whole and in tiles")
{
    for (const char* sram : {"4 MiB", "24 KiB"}) {
        INFO(sram);
        const Workplace place;
        KelleCase kelle = stories();
        const auto bytes = import_synthetic(llama_shape(96, 200, 2, 6, 2, 300, 160), {});
        place.write("model.levee", std::string(bytes.begin(), bytes.end()));
        kelle.image = place.path("model.levee");
        kelle.system.sram = sram;
        kelle.prompts = {drawn_ids(12, 150, 300)};
        kelle.new_tokens = 4;
        kelle.workload = ", prefill_chunk: 16";
        check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
    }
}

TEST_CASE(
    "voting: a timing-only run with recorded decisions has every figure of the functional one")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"}) {
        INFO(scheduler);
        KelleCase kelle = stories();
        kelle.new_tokens = 12;
        kelle.workload = std::string(", prefill_chunk: 24, scheduler: ") + scheduler;
        check_timing_only(kelle);
    }
}

TEST_CASE("a ratio keeps S = round(r P) tokens of every prompt")
{
    KelleCase kelle = stories();
    kelle.system.edram.clear();
    kelle.prompts = {drawn_ids(3, 75, 256), drawn_ids(4, 75, 256)};
    kelle.policy.budget = 38; // The budget is 0.5 x 75 = 37.5, rounded up.
    const Workplace place;
    const KelleRun stated = run_case(place, kelle);
    check_bits(kelle, stated);
    std::string text = yaml(kelle);
    const std::string budget = "budget: 38";
    place.write("ratio.yaml", text.replace(text.find(budget), budget.size(), "ratio: 0.5"));
    REQUIRE(place.levee({"run", "ratio.yaml", "--out", "ratio"}).code == 0);
    CHECK(place.results("ratio").at("tokens") == stated.results.at("tokens"));
    CHECK(place.results("ratio").at("metrics").at("kv.slots") == 39);
}

TEST_CASE("voting with missing parts or wrong settings is refused at its place")
{
    const std::string good =
        "policy: voting, threshold: {mean: 1, deviation: 0.2}, reserved: 8, budget: 40";
    KelleCase kelle = stories();
    kelle.new_tokens = 2;
    const auto says = [&](const std::string& section, int code, const std::string& what) {
        check_says(kelle, section, code, what);
    };
    says("policy: voting, reserved: 8, budget: 40", 2, "lacks the key 'threshold'");
    says("policy: voting, threshold: {mean: 1, deviation: 0.2}, budget: 40", 2,
         "lacks the key 'reserved'");
    says("policy: voting, threshold: {mean: 1}, reserved: 8, budget: 40", 2, "deviation");
    says("policy: voting, threshold: {mean: 1, deviation: 1e-9}, reserved: 8, budget: 40", 2,
         "too small");
    says(good + ", score: logit", 2, "vote by probabilities");
    says(good + ", search: after", 2, "kv_cache.search");
    says(good + ", protect: 40", 2, "expected more than the 40");
    says(good + ", ratio: 0.5", 2, "and so is 'budget'");
    says("policy: voting, threshold: {mean: 1, deviation: 0.2}, reserved: 8, ratio: 0.5", 2,
         "the prompts have 5 to 90 tokens");
    says("policy: voting, threshold: {mean: 1, deviation: 0.2}, reserved: 8, budget: 1023", 0, "");
    says("policy: voting, threshold: {mean: 1, deviation: 0.2}, reserved: 8, budget: 1024", 1,
         "has room for 1024 tokens");
    kelle.shipped = "kelle/systems/aep_sram.yaml";
    says(good, 1, "this system has no voting engine");
}

TEST_CASE("voting from statistics: any token may be evicted, with the same time and traffic")
{
    KelleCase kelle = stories();
    kelle.system.edram.clear();
    kelle.prompts = {drawn_ids(3, 90, 256)};
    const Workplace place;
    const KelleRun seen = run_case(place, kelle);
    const auto drawn = run_from_statistics(place, kelle);
    for (const char* name :
         {"voting.elements", "voting.vectors", "voting.elected", "voting.cycles"})
        CHECK(drawn.at(name) == seen.results.at("metrics").at(name));
}
