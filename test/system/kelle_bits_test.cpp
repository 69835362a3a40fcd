// SPDX-License-Identifier: Apache-2.0
// Tests eviction and recomputation by firmware and blocks. Every logits vector must equal the
// evicting reference's bit for bit.
#include "platform/input/import/llama2c.hpp"
#include "platform/input/import/synthetic.hpp"
#include "test/system/kelle_case.hpp"

using namespace levee;
using namespace levee::test;

namespace fs = std::filesystem;

namespace {

const fs::path embedded = fs::path(LEVEE_SOURCE) / "models/embedded/stories.levee";

fs::path synthetic(const Workplace& place, const ModelShape& shape)
{
    const auto bytes = import_synthetic(shape, {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    return place.path("model.levee");
}

/// Three prompts: one shorter than the budget of 40, one longer, and one that reaches it while
/// decoding.
std::vector<Ids> unequal_prompts(std::uint32_t vocab)
{
    return {drawn_ids(2, 5, vocab), drawn_ids(3, 90, vocab), drawn_ids(4, 33, vocab)};
}

void check(const KelleCase& kelle)
{
    const Workplace place;
    check_bits(kelle, run_case(place, kelle));
}

KelleCase stories(const levee_kv_policy& policy)
{
    KelleCase kelle;
    kelle.system.edram = "64 KiB"; // This size does not hold all slices.
    kelle.image = embedded;
    kelle.prompts = unequal_prompts(256);
    kelle.new_tokens = 30;
    kelle.policy = policy;
    return kelle;
}

/// Five sequences on a machine slow enough to hide some recomputed rows. Kelle itself hides none.
KelleCase hiding(const levee_kv_policy& policy)
{
    KelleCase kelle = stories(policy);
    kelle.system.edram.clear();
    kelle.system.slow = "3 GB/s";
    for (const Ids& prompt : unequal_prompts(256))
        kelle.prompts.push_back(Ids(prompt.rbegin(), prompt.rend()));
    kelle.prompts.resize(5);
    return kelle;
}

constexpr levee_kv_policy_kind evicting[] = {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM,
                                             LEVEE_KV_AEP, LEVEE_KV_AERP};

} // namespace

TEST_CASE("kelle bits: every policy, batch of three with unequal lengths")
{
    for (const auto kind : evicting) {
        INFO("policy " << kind);
        check(stories(kv_policy(kind, 40, 16, 4)));
    }
}

TEST_CASE("kelle bits: a full cache in eDRAM and DRAM")
{
    check(stories(kv_policy(LEVEE_KV_FULL, 0, 0, 0)));
}

TEST_CASE("kelle bits: logits as scores")
{
    for (const auto kind : {LEVEE_KV_H2O, LEVEE_KV_AEP, LEVEE_KV_AERP}) {
        INFO("policy " << kind);
        levee_kv_policy policy = kv_policy(kind, 40, 16, 4);
        policy.score = LEVEE_SE_LOGIT;
        check(stories(policy));
    }
}

TEST_CASE("kelle bits: prefill chunks of any size")
{
    for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT})
        for (const char* chunk : {"1", "7", "64"}) {
            INFO("chunk " << chunk << " score " << score);
            KelleCase kelle = stories(kv_policy(LEVEE_KV_AEP, 40, 16, 4));
            kelle.policy.score = score;
            kelle.prompts = {drawn_ids(12, 90, 256)};
            kelle.new_tokens = 4;
            kelle.workload = std::string(", prefill_chunk: ") + chunk;
            check(kelle);
        }
}

TEST_CASE("kelle bits: prefills in tiles, importance from their streams")
{
    for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT})
        for (const auto& [sram, chunk] :
             {std::pair{"16 KiB", "32"}, {"40 KiB", "32"}, {"16 KiB", "64"}}) {
            INFO("score " << score << " sram " << sram << " chunk " << chunk);
            KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
            kelle.policy.score = score;
            kelle.system.sram = sram;
            kelle.prompts = {drawn_ids(12, 190, 256), drawn_ids(13, 77, 256)};
            kelle.new_tokens = 4;
            kelle.workload = std::string(", scheduler: kelle, prefill_chunk: ") + chunk;
            const Workplace place;
            const KelleRun seen = run_case(place, kelle, {"--check", "overlap"});
            CHECK(seen.count("prefill.key_tile") < 100);
            CHECK(seen.has("prefill.activated_tile") == (chunk == std::string("64")));
            check_bits(kelle, seen);
        }
}

TEST_CASE("kelle bits: grouped queries in tiles")
{
    for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
        INFO("score " << score);
        const Workplace place;
        KelleCase kelle = stories(kv_policy(LEVEE_KV_AEP, 40, 16, 4));
        kelle.policy.score = score;
        kelle.image = synthetic(place, llama_shape(96, 200, 2, 6, 2, 300, 160));
        kelle.system.sram = "24 KiB";
        kelle.prompts = {drawn_ids(12, 150, 300)};
        kelle.new_tokens = 4;
        kelle.workload = ", prefill_chunk: 16";
        const KelleRun seen = run_case(place, kelle);
        CHECK(seen.count("prefill.key_tile") < 100);
        check_bits(kelle, seen);
    }
}

TEST_CASE("kelle bits: recomputation of all popular tokens, of some, and of none")
{
    for (const auto recompute :
         {LEVEE_KV_RECOMPUTE_ALL, LEVEE_KV_RECOMPUTE_HIDDEN, LEVEE_KV_RECOMPUTE_OFF}) {
        INFO("recompute " << recompute);
        KelleCase kelle = hiding(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
        kelle.policy.recompute = recompute;
        const Workplace place;
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        const std::uint64_t rows = seen.count("kv.x_rows");
        // Number of rows whose recomputation is hidden. Loading 32 x 32 weights takes 341 ns at 3
        // GB/s. Each row takes two passes, and there are five sequences.
        CHECK(rows == (recompute == LEVEE_KV_RECOMPUTE_ALL      ? 41
                       : recompute == LEVEE_KV_RECOMPUTE_HIDDEN ? 33
                                                                : 0));
        CHECK((seen.count("kelle.recompute_rows") > 0) == (rows > 0));
    }
}

TEST_CASE("kelle bits: schedulers")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"})
        for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_AEP, LEVEE_KV_AERP}) {
            INFO(scheduler << ", policy " << kind);
            KelleCase kelle = stories(kv_policy(kind, 40, 16, 4));
            kelle.policy.recompute =
                kind == LEVEE_KV_AERP ? LEVEE_KV_RECOMPUTE_ALL : LEVEE_KV_RECOMPUTE_OFF;
            kelle.workload = std::string(", scheduler: ") + scheduler;
            check(kelle);
        }
}

TEST_CASE("kelle bits: rows are released only when nobody uses them any more, in any order")
{
    for (const char* scheduler : {"baseline", "kelle", "kelle_baseline"})
        for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT})
            for (const bool shipped : {false, true}) { // The shipped system has two queues on the
                                                       // array.
                INFO(scheduler << ", score " << score << ", shipped " << shipped);
                KelleCase kelle = shipped ? stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4))
                                          : hiding(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
                if (shipped)
                    kelle.shipped =
                        std::string(LEVEE_SOURCE) + "/scenarios/kelle/systems/kelle.yaml";
                kelle.policy.score = score;
                kelle.policy.recompute =
                    shipped ? LEVEE_KV_RECOMPUTE_ALL : LEVEE_KV_RECOMPUTE_HIDDEN;
                kelle.new_tokens = 12;
                kelle.workload = std::string(", scheduler: ") + scheduler;
                const Workplace place;
                check_bits(kelle, run_case(place, kelle, {"--check", "overlap"}));
            }
}

TEST_CASE("kelle bits: one batch after another, the last one smaller")
{
    for (const auto kind : {LEVEE_KV_FULL, LEVEE_KV_RANDOM, LEVEE_KV_AERP})
        for (const char* scheduler : {"baseline", "kelle_baseline"}) {
            INFO(scheduler << ", policy " << kind);
            KelleCase kelle = stories(kv_policy(kind, 40, 16, 4));
            kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
            for (const Ids& prompt : unequal_prompts(256))
                kelle.prompts.push_back(Ids(prompt.rbegin(), prompt.rend()));
            kelle.prompts.resize(5);
            kelle.batch = 2;
            kelle.workload = std::string(", scheduler: ") + scheduler;
            check(kelle);
        }
}

TEST_CASE("kelle bits: a system without eDRAM")
{
    KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
    kelle.system.edram.clear();
    check(kelle);
}

TEST_CASE("kelle bits: OPT shape, learned positions and biases, recomputed")
{
    const Workplace place;
    KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
    kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
    kelle.image = synthetic(place, opt_shape(96, 384, 3, 6, 300, 128));
    kelle.prompts = unequal_prompts(300);
    check_bits(kelle, run_case(place, kelle));
}

TEST_CASE("kelle bits: grouped queries, without recomputation")
{
    const Workplace place;
    for (const auto score : {LEVEE_SE_SOFTMAX, LEVEE_SE_LOGIT}) {
        KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
        kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
        kelle.policy.score = score;
        kelle.image = synthetic(place, llama_shape(96, 200, 3, 6, 2, 300, 160));
        kelle.prompts = unequal_prompts(300);
        const KelleRun seen = run_case(place, kelle);
        check_bits(kelle, seen);
        CHECK(seen.count("kelle.recompute_off_gqa") == 1);
        CHECK(seen.text.find("recomputation is off") != std::string::npos);
    }
}

TEST_CASE("kelle bits: stories260K")
{
    const fs::path data = LEVEE_SHARED_DATA;
    if (!fs::exists(data / "stories260K.bin")) {
        WARN("skipped: no ../shared/data");
        return;
    }
    const Workplace place;
    const auto bytes = import_llama2c(data / "stories260K.bin", data / "tok512.bin", {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
    KelleCase kelle = stories(kv_policy(LEVEE_KV_AEP, 64, 24, 4));
    kelle.image = place.path("model.levee");
    kelle.prompts = {drawn_ids(21, 100, 512), drawn_ids(22, 30, 512)};
    kelle.new_tokens = 60;
    check_bits(kelle, run_case(place, kelle));
}

TEST_CASE("kelle bits: any quantum gives the same bits")
{
    const Workplace place;
    KelleCase kelle = stories(kv_policy(LEVEE_KV_AERP, 40, 16, 4));
    const KelleRun first = run_case(place, kelle);
    for (const std::uint32_t quantum : {1u, 1'000'000u}) {
        kelle.system.quantum = quantum;
        const KelleRun other = run_case(place, kelle);
        CHECK(other.logits == first.logits);
        CHECK(reproducible(other.results).at("metrics") ==
              reproducible(first.results).at("metrics"));
    }
}
