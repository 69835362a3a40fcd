// SPDX-License-Identifier: Apache-2.0
// Tests that a timing-only run with a functional run's decisions has all its figures, to the last
// digit.
#include "test/system/timing_only_case.hpp"

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";

constexpr levee_kv_policy_kind all_kinds[] = {LEVEE_KV_FULL,   LEVEE_KV_STREAMING, LEVEE_KV_H2O,
                                              LEVEE_KV_RANDOM, LEVEE_KV_AEP,       LEVEE_KV_AERP};
constexpr levee_kv_recompute all_recompute[] = {LEVEE_KV_RECOMPUTE_OFF, LEVEE_KV_RECOMPUTE_HIDDEN,
                                                LEVEE_KV_RECOMPUTE_ALL};
constexpr levee_se_score all_scores[] = {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT};
const char* const all_schedulers[] = {"baseline", "kelle", "kelle_baseline"};

/// Three prompts: one shorter than the budget of 40, one longer, and one that reaches it while
/// decoding.
KelleCase stories(const levee_kv_policy& policy)
{
    KelleCase kelle;
    kelle.system.edram = "64 KiB"; // This size does not hold all slices.
    kelle.image = embedded;
    kelle.prompts = {drawn_ids(2, 5, 256), drawn_ids(3, 60, 256), drawn_ids(4, 33, 256)};
    kelle.new_tokens = 16;
    kelle.policy = policy;
    kelle.workload = ", prefill_chunk: 24";
    return kelle;
}

/// Whether the system has an evictor; without one it can only keep all tokens. Searches extended
/// files, too.
bool evicts(const fs::path& system)
{
    std::ifstream file(system);
    std::string line;
    while (std::getline(file, line)) {
        if (line.find("type: systolic_evictor") != std::string::npos)
            return true;
        if (line.starts_with("extends: ") && evicts(system.parent_path() / line.substr(9)))
            return true;
    }
    return false;
}

/// Returns systems that run a transformer and have prices in Kelle's list.
std::vector<std::string> shipped_systems()
{
    std::vector<std::string> files;
    for (const char* folder : {"scenarios/systems", "scenarios/kelle/systems"})
        for (const auto& entry : fs::directory_iterator(fs::path(LEVEE_SOURCE) / folder)) {
            const std::string name = entry.path().filename();
            if (name != "core.yaml" && name != "flash.yaml" && !name.starts_with("veda") &&
                !name.starts_with("voting"))
                files.push_back(entry.path());
        }
    std::ranges::sort(files);
    return files;
}

void check_schedulers(levee_kv_recompute recompute)
{
    for (const auto score : all_scores)
        for (const char* scheduler : all_schedulers) {
            INFO(scheduler << ", score " << score << ", recompute " << recompute);
            KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
            kelle.policy.score = score;
            kelle.policy.recompute = recompute;
            kelle.workload += std::string(", scheduler: ") + scheduler;
            check_timing_only(kelle);
        }
}

/// The memory is far worse than any real one, so that bits fail within a short run.
KelleCase failing(levee_kv_policy_kind kind, const std::string& more)
{
    KelleCase kelle = stories(kv_policy(kind, 24, 8, 4));
    kelle.system.edram = "256 KiB";
    kelle.system.interval = "200 us";
    kelle.system.retention = "{curve: [[1 us, 1e-6], [100 us, 1e-3], [1 ms, 0.01], [100 ms, 0.2]], "
                             "time_scale: 20" +
                             more + "}";
    kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
    return kelle;
}

} // namespace

TEST_CASE("timing-only: every policy, batch of three with unequal lengths, and one alone")
{
    for (const auto kind : all_kinds)
        for (const bool alone : {false, true}) {
            INFO("policy " << kind << (alone ? ", alone" : ""));
            KelleCase kelle = stories(kv_policy(kind, 40, 16, 4));
            if (alone)
                kelle.prompts = {kelle.prompts[1]};
            check_timing_only(kelle);
        }
}

TEST_CASE("timing-only: every shipped system with every policy that it supports")
{
    const std::vector<std::string> systems = shipped_systems();
    REQUIRE(systems.size() >= 7);
    std::size_t turn = 0, evicting = 0;
    for (const std::string& system : systems)
        for (const auto kind : all_kinds) {
            if (!evicts(system) && kind != LEVEE_KV_FULL)
                continue;
            evicting += kind == LEVEE_KV_AERP ? 1 : 0;
            INFO(system << ", policy " << kind);
            KelleCase kelle = stories(kv_policy(kind, 40, 16, 4));
            kelle.shipped = system;
            kelle.policy.recompute = all_recompute[turn % 3];
            kelle.policy.score = all_scores[turn % 2];
            if (evicts(system))
                kelle.workload += std::string(", scheduler: ") + all_schedulers[++turn % 3];
            check_timing_only(kelle);
        }
    CHECK(evicting >= 4);
}

TEST_CASE("timing-only: schedulers and scores, without recomputation")
{
    check_schedulers(LEVEE_KV_RECOMPUTE_OFF);
}

TEST_CASE("timing-only: schedulers and scores, recomputation hidden")
{
    check_schedulers(LEVEE_KV_RECOMPUTE_HIDDEN);
}

TEST_CASE("timing-only: schedulers and scores, all popular tokens recomputed")
{
    check_schedulers(LEVEE_KV_RECOMPUTE_ALL);
}

TEST_CASE("timing-only: prefills in tiles, in memory that is refreshed")
{
    for (const auto score : all_scores)
        // Covers feed-forward layers that run whole, and in parts.
        for (const char* chunk : {"32", "128"}) {
            KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
            kelle.policy.score = score;
            kelle.shipped = "{extends: kelle/systems/kelle.yaml, memories: "
                            "{act_edram: {size: 32 KiB}, sram: {size: 16 KiB}}}";
            kelle.prompts = {drawn_ids(14, 190, 256)};
            kelle.workload = std::string(", scheduler: kelle, prefill_chunk: ") + chunk;
            const Workplace place;
            const KelleRun seen = check_timing_only(place, kelle);
            CHECK(seen.count("prefill.key_tile") < 100);
            CHECK(seen.has("prefill.activated_tile") == (chunk == std::string("128")));
        }
}

TEST_CASE("timing-only: retention failures, flips and ages")
{
    for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_AEP, LEVEE_KV_AERP})
        for (const char* more : {"", ", failures: iid"}) {
            INFO("policy " << kind << more);
            const Workplace place;
            CHECK(check_timing_only(place, failing(kind, more)).count("kv_edram.flipped_bits") >
                  100);
        }
}

TEST_CASE("timing-only: one batch after another, the last one smaller, tokens sampled")
{
    KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
    kelle.batch = 2;
    kelle.workload += ", scheduler: kelle, sampling: temperature, temperature: 0.8";
    check_timing_only(kelle);
}

TEST_CASE("timing-only: a scored text has its recorded log-probabilities")
{
    const Workplace place;
    const std::vector<std::string> options{
        "run", "perplexity", "--quiet", "--set", "workload.max_tokens=300", "--out", "out"};
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> command = options;
        command.insert(command.end(), more.begin(), more.end());
        REQUIRE(place.levee(command).code == 0);
        return KelleRun{place.results("out"), {}, ""};
    };
    const KelleRun functional = run({"--record-decisions", "decisions"});
    const KelleRun timing_only =
        run({"--set", "data=timing_only", "--set", "decisions.recorded=decisions"});
    CHECK(differences(functional, timing_only) == "");
}
