// SPDX-License-Identifier: Apache-2.0
// Tests layers with windowed attention. Results equal the composed reference's bit for bit, caches
// have only the window's slots, and time and traffic follow from the windows.
#include "test/reference/decomposed_transformer.hpp"
#include "test/reference/structured_shapes.hpp"
#include "test/system/cpq_case.hpp"
#include "test/system/machine_case.hpp"
#include "test/system/timing_only_case.hpp"

#include <map>
#include <optional>

using namespace levee;
using namespace levee::test;

namespace {

constexpr std::uint32_t local = LEVEE_LAYER_LOCAL;

/// Returns four layers; `flags` says which are local.
ModelShape with_window(std::uint32_t window, std::vector<std::uint32_t> flags)
{
    ModelShape shape = plain_shape();
    shape.max_context = 128;
    shape.window = window;
    shape.layer_flags = std::move(flags);
    return shape;
}

const std::map<std::string, std::vector<std::uint32_t>> patterns = {
    {"alternating", {local, 0, local, 0}},
    {"the last is full", {local, local, local, 0}},
    {"the first is full", {0, local, local, local}},
    {"all are local", {local, local, local, local}},
};

/// Returns a batch of three unequal lengths: longer than most windows, shorter, and one token.
KelleCase case_of(const Workplace& place, const ModelShape& shape,
                  levee_kv_policy_kind policy = LEVEE_KV_FULL)
{
    save_model(place, shape);
    KelleCase kelle;
    kelle.system.edram = "64 KiB";
    kelle.image = place.path("model.levee");
    kelle.prompts = {drawn_ids(2, 75, shape.vocab), drawn_ids(3, 9, shape.vocab),
                     drawn_ids(4, 1, shape.vocab)};
    kelle.new_tokens = 30;
    kelle.policy = kv_policy(policy, 24, 8, 4);
    return kelle;
}

} // namespace

TEST_CASE("windows: patterns of layers, windows and chunks, a batch of unequal lengths")
{
    for (const auto& [name, flags] : patterns)
        for (const std::uint32_t window : {1U, 7U, 16U, 40U})
            for (const char* const chunk : {"5", "16", "64"}) {
                INFO(name << ", window " << window << ", chunk " << chunk);
                const Workplace place;
                KelleCase kelle = case_of(place, with_window(window, flags));
                kelle.workload = std::string(", prefill_chunk: ") + chunk;
                check_bits(kelle, run_case(place, kelle, {"--check", "all"}));
            }
}

TEST_CASE("windows: prefills in tiles")
{
    for (const std::uint32_t window : {1U, 20U, 50U})
        for (const char* const sram : {"24 KiB", "40 KiB"}) {
            INFO("window " << window << ", " << sram);
            const Workplace place;
            KelleCase kelle = case_of(place, with_window(window, patterns.at("alternating")));
            kelle.system.sram = sram;
            kelle.workload = ", prefill_chunk: 32";
            const KelleRun seen = run_case(place, kelle, {"--check", "all"});
            CHECK(seen.count("prefill.query_tile") <= 32);
            CHECK(seen.has("prefill.tile_bytes"));
            check_bits(kelle, seen);
        }
}

TEST_CASE("windows: layers with full attention follow the policy, local layers keep their ring")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM,
                                              LEVEE_KV_AEP, LEVEE_KV_AERP, LEVEE_KV_VOTING})
        for (const char* const scheduler : {"kelle", "kelle_baseline"})
            for (const std::uint32_t window : {6U, 40U}) {
                INFO("policy " << policy << ", " << scheduler << ", window " << window);
                const Workplace place;
                ModelShape shape = with_window(window, patterns.at("alternating"));
                shape.kv_heads = shape.heads; // Grouped queries switch recomputation off.
                KelleCase kelle = case_of(place, shape, policy);
                kelle.workload = std::string(", scheduler: ") + scheduler;
                if (policy == LEVEE_KV_AERP)
                    kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
                const KelleRun seen = run_case(place, kelle, {"--check", "all"});
                check_bits(kelle, seen);
                CHECK(seen.count("kv.local_slots") == window);
                CHECK(seen.count("kv.slots") == 25);
            }
}

namespace {

/// Applies the policy to local layers, too.
KelleCase in_all_layers(const Workplace& place, std::uint32_t window, levee_kv_policy_kind policy)
{
    ModelShape shape = with_window(window, patterns.at("alternating"));
    if (policy == LEVEE_KV_AERP)
        shape.kv_heads = shape.heads;
    KelleCase kelle = case_of(place, shape, policy);
    kelle.cache = ", layers: all";
    kelle.beside = [](Eviction& eviction) { eviction.all_layers = true; };
    if (policy == LEVEE_KV_AERP)
        kelle.policy.recompute = LEVEE_KV_RECOMPUTE_ALL;
    if (policy == LEVEE_KV_VOTING)
        kelle.voting = {1.0f, 0.2f, 8, 2};
    return kelle;
}

constexpr levee_kv_policy_kind weighing[] = {LEVEE_KV_STREAMING, LEVEE_KV_H2O,  LEVEE_KV_RANDOM,
                                             LEVEE_KV_AEP,       LEVEE_KV_AERP, LEVEE_KV_VOTING};

} // namespace

TEST_CASE("windows: all layers follow the policy, local ones within their window")
{
    for (const levee_kv_policy_kind policy : weighing)
        for (const char* const scheduler : {"kelle", "kelle_baseline"})
            for (const std::uint32_t window : {26U, 31U, 60U}) {
                INFO("policy " << policy << ", " << scheduler << ", window " << window);
                const Workplace place;
                KelleCase kelle = in_all_layers(place, window, policy);
                kelle.workload = std::string(", prefill_chunk: 16, scheduler: ") + scheduler;
                const KelleRun seen = run_case(place, kelle, {"--check", "all"});
                check_bits(kelle, seen);
                CHECK(seen.count("kv.local_slots") == 25);
                CHECK(seen.count("kv.local_slices") ==
                      2 * 3 * 2 * (policy == LEVEE_KV_AERP ? 2 : 1));
            }
}

TEST_CASE("windows: all layers follow the policy, a prefill in tiles")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_H2O, LEVEE_KV_AEP, LEVEE_KV_VOTING})
        for (const char* const sram : {"24 KiB", "40 KiB"}) {
            INFO("policy " << policy << ", " << sram);
            const Workplace place;
            KelleCase kelle = in_all_layers(place, 40, policy);
            kelle.system.sram = sram;
            kelle.workload = ", prefill_chunk: 32";
            const KelleRun seen = run_case(place, kelle, {"--check", "all"});
            CHECK(seen.has("prefill.tile_bytes"));
            check_bits(kelle, seen);
        }
}

TEST_CASE("windows: all layers follow the policy, last tiles of fewer keys than queries")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_AEP, LEVEE_KV_VOTING})
        for (const std::uint32_t window : {26U, 29U, 34U, 43U, 47U})
            for (const char* const sram : {"24 KiB", "32 KiB"})
                for (const char* const chunk : {"17", "32", "64"}) {
                    INFO("policy " << policy << ", window " << window << ", " << sram << ", chunk "
                                   << chunk);
                    const Workplace place;
                    KelleCase kelle = in_all_layers(place, window, policy);
                    kelle.system.sram = sram;
                    kelle.workload = std::string(", prefill_chunk: ") + chunk;
                    check_bits(kelle, run_case(place, kelle, {"--check", "all"}));
                }
}

TEST_CASE(
    "windows: layers with full attention follow a policy by logits, with a budget below the window")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_H2O, LEVEE_KV_AEP}) {
        const Workplace place;
        KelleCase kelle = case_of(place, with_window(40, patterns.at("alternating")), policy);
        kelle.policy.score = LEVEE_SE_LOGIT;
        check_bits(kelle, run_case(place, kelle, {"--check", "all"}));
    }
}

TEST_CASE("windows: all layers follow the policy, in a prefill without space for tiles")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_AEP, LEVEE_KV_VOTING}) {
        INFO("policy " << policy);
        const Workplace place;
        KelleCase kelle = in_all_layers(place, 40, policy);
        kelle.system.sram = "4 KiB";
        kelle.workload = ", prefill_chunk: 63";
        const KelleRun seen = run_case(place, kelle, {"--check", "all"});
        CHECK_FALSE(seen.has("prefill.tile_bytes"));
        check_bits(kelle, seen);
    }
}

TEST_CASE("windows: if the budget covers the window, local layers keep it under every policy")
{
    const Workplace place;
    KelleCase kelle = in_all_layers(place, 25, LEVEE_KV_AEP);
    const KelleRun all = run_case(place, kelle);
    check_bits(kelle, all);
    kelle.cache = ", layers: full";
    const KelleRun full = run_case(place, kelle);
    CHECK(all.logits == full.logits);
    CHECK(all.count("kv.local_slots") == 25);
    for (const char* const name : {"kv.bytes", "rsa.cycles", "evictor.evicted", "sram.read_bytes"})
        CHECK(all.count(name) == full.count(name));
    CHECK(all.results.at("warnings").dump().find("'kv_cache.layers: all' has no effect") !=
          std::string::npos);
}

TEST_CASE("windows: fewer slots of local layers take fewer bytes, refreshes and reads")
{
    const Workplace place;
    KelleCase kelle = in_all_layers(place, 60, LEVEE_KV_AEP);
    kelle.system.edram = "4 MiB";
    const KelleRun all = run_case(place, kelle, {"--check", "all"});
    kelle.cache = ", layers: full";
    const KelleRun full = run_case(place, kelle, {"--check", "all"});
    // Three sequences with two heads have keys and values of 16 elements, two bytes each.
    CHECK(all.count("kv.bytes") == 3 * 2 * (4 * 25) * 2 * 16 * 2);
    CHECK(full.count("kv.bytes") == 3 * 2 * (2 * 60 + 2 * 25) * 2 * 16 * 2);
    CHECK(all.count("evictor.evicted") == 2 * full.count("evictor.evicted"));
    CHECK(all.count("kv_edram.refresh.low_lsb") > full.count("kv_edram.refresh.low_lsb"));
    CHECK(all.count("kv_edram.read_bytes") < full.count("kv_edram.read_bytes"));
}

TEST_CASE("windows: timing-only runs of policies in all layers")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_AEP, LEVEE_KV_AERP, LEVEE_KV_VOTING}) {
        INFO("policy " << policy);
        const Workplace place;
        (void)check_timing_only(place, in_all_layers(place, 31, policy));
    }
}

TEST_CASE("windows: a long prompt moves to the front of its cache, which has the window's size")
{
    for (const std::uint32_t window : {1U, 2U, 9U})
        for (const char* const sram : {"4 MiB", "24 KiB"}) {
            INFO("window " << window << ", " << sram);
            const Workplace place;
            ModelShape shape = with_window(window, patterns.at("all are local"));
            shape.max_context = 1024;
            KelleCase kelle = case_of(place, shape);
            kelle.system.sram = sram;
            kelle.prompts = {drawn_ids(5, 300, shape.vocab), drawn_ids(6, 41, shape.vocab)};
            kelle.workload = ", context: 340, prefill_chunk: 16";
            kelle.new_tokens = 12;
            check_bits(kelle, run_case(place, kelle, {"--check", "all"}));
        }
}

TEST_CASE("windows: a prefill's work and traffic grow with the prompt, not with its square")
{
    for (const char* const sram : {"4 MiB", "24 KiB"}) {
        INFO(sram);
        std::vector<KelleRun> runs;
        for (const std::size_t tokens : {128U, 256U, 512U}) {
            const Workplace place;
            ModelShape shape = with_window(20, patterns.at("all are local"));
            shape.max_context = 1024;
            KelleCase kelle = case_of(place, shape);
            kelle.system.sram = sram;
            kelle.prompts = {drawn_ids(5, tokens, shape.vocab)};
            kelle.workload = ", context: 520, prefill_chunk: 16";
            kelle.new_tokens = 1;
            runs.push_back(run_case(place, kelle, {"--check", "all"}));
        }
        for (const char* const name : {"rsa.macs", "sfu.elements"}) {
            INFO(name);
            const std::uint64_t few = runs[0].count(name), more = runs[1].count(name);
            CHECK(runs[2].count(name) - more == 2 * (more - few));
        }
        const auto read = [&](std::size_t run) {
            return static_cast<double>(runs[run].count("dram.read_bytes"));
        };
        CHECK(read(2) - read(1) == Approx(2 * (read(1) - read(0))).epsilon(0.01));
    }
}

TEST_CASE("windows: rows of local layers are refreshed like high-score ones")
{
    const Workplace place;
    KelleCase kelle = case_of(place, with_window(32, patterns.at("all are local")), LEVEE_KV_AEP);
    kelle.system.edram = "4 MiB";
    const KelleRun seen = run_case(place, kelle, {"--check", "all"});
    CHECK(seen.results.at("warnings")
              .dump()
              .find("'kv_cache.policy: aep' has no effect: all 4 layers of the model keep their "
                    "window of "
                    "32 tokens") != std::string::npos);
    CHECK(seen.count("kv.resident_slices") == seen.count("kv.slices"));
    CHECK(seen.count("kv_edram.refresh.high_msb") > 0);
    CHECK(seen.count("kv_edram.refresh.low_msb") == 0);
    CHECK(seen.count("kv_edram.refresh.low_lsb") == 0);
}

TEST_CASE("windows: keys and values of fewer bits, layers in two memories")
{
    for (const std::uint32_t bits : {8U, 4U})
        for (const levee_kv_policy_kind policy : {LEVEE_KV_FULL, LEVEE_KV_AEP}) {
            INFO(bits << " bits, policy " << policy);
            const Workplace place;
            KelleCase kelle =
                case_of(place, with_window(16, patterns.at("the first is full")), policy);
            kelle.system.edram = "16 KiB";
            kelle.kv_bits = bits;
            const KelleRun seen = run_case(place, kelle, {"--check", "all"});
            CHECK(seen.count("kv.resident_slices") > 0);
            CHECK(seen.count("kv.resident_slices") < seen.count("kv.slices"));
            check_bits(kelle, seen);
        }
}

TEST_CASE("windows: several batches, and entries that end before others")
{
    const Workplace place;
    KelleCase kelle = case_of(place, with_window(12, patterns.at("alternating")));
    kelle.batch = 2;
    kelle.prompts.push_back(drawn_ids(9, 31, 300));
    check_bits(kelle, run_case(place, kelle, {"--check", "all"}));
}

TEST_CASE("windows: the chunk size does not change a text's perplexity")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_FULL, LEVEE_KV_STREAMING}) {
        const Workplace place;
        KelleCase kelle = case_of(place, with_window(12, patterns.at("the last is full")), policy);
        const std::string generates = yaml(kelle);
        nlohmann::json expected;
        for (const char* const chunk : {"1", "7", "64"}) {
            const std::string model = generates.substr(0, generates.find("workload:"));
            place.write("scenario.yaml",
                        model + "workload: {app: perplexity, scheduler: kelle, prompt_ids: " +
                            nlohmann::json(kelle.prompts).dump() +
                            ", batch: 2, prefill_tokens: 40, prefill_chunk: " + chunk + "}\n" +
                            yaml(kelle.policy, ""));
            const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
            INFO(outcome.text);
            REQUIRE(outcome.code == 0);
            const nlohmann::json nll = place.results("out").at("metrics").at("score.nll");
            CHECK((expected.is_null() || nll == expected));
            expected = nll;
        }
    }
}

TEST_CASE("windows: an entry without decode steps does not change the others")
{
    const Workplace place;
    KelleCase kelle = case_of(place, with_window(5, patterns.at("alternating")));
    kelle.prompts = {drawn_ids(2, 35, 300),
                     drawn_ids(3, 10, 300)}; // The second sequence ends in its prefill.
    const std::string generates = yaml(kelle);
    nlohmann::json expected;
    for (const char* const batch : {"1", "2"}) {
        place.write("scenario.yaml",
                    generates.substr(0, generates.find("workload:")) +
                        "workload: {app: perplexity, scheduler: kelle, prompt_ids: " +
                        nlohmann::json(kelle.prompts).dump() +
                        ", prefill_tokens: 30, batch: " + batch + "}\n" + yaml(kelle.policy, ""));
        const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
        INFO(outcome.text);
        REQUIRE(outcome.code == 0);
        const nlohmann::json nll = place.results("out").at("metrics").at("score.nll");
        CHECK((expected.is_null() || nll == expected));
        expected = nll;
    }
}

TEST_CASE("windows: slices have as many slots as their layer needs")
{
    const Workplace place;
    KelleCase kelle = case_of(place, with_window(16, patterns.at("the last is full")));
    kelle.workload = ", context: 110";
    const KelleRun seen = run_case(place, kelle, {"--check", "all"});
    // Three sequences with two heads: three layers have 16 slots and one has 110, with keys and
    // values of 16 elements, two bytes each.
    CHECK(seen.count("kv.bytes") == 3 * 2 * (3 * 16 + 110) * 2 * 16 * 2);
    CHECK(seen.count("kv.local_slices") == 3 * 3 * 2);
    CHECK(seen.count("kv.slices") == 4 * 3 * 2);
    CHECK(seen.count("kv.local_slots") == 16);
    CHECK(seen.count("kv.slots") == 110);
}

TEST_CASE("windows: a window at least as long as the context has no effect")
{
    const Workplace plain;
    KelleCase full = case_of(plain, with_window(0, {}));
    full.workload = ", context: 110";
    const KelleRun expected = run_case(plain, full);
    std::optional<KelleRun> first;
    for (const std::uint32_t window : {110U, 111U, 200U}) {
        INFO("window " << window);
        const Workplace place;
        KelleCase kelle = case_of(place, with_window(window, patterns.at("alternating")));
        kelle.workload = full.workload;
        const KelleRun seen = run_case(place, kelle, {"--check", "all"});
        CHECK(seen.logits == expected.logits);
        CHECK_FALSE(seen.has("kv.local_slots"));
        for (const char* const name : {"rsa.cycles", "sfu.cycles", "dram.write_bytes"})
            CHECK(seen.count(name) == expected.count(name));
        CHECK(differences(first.value_or(seen), seen) == "");
        first = seen;
    }
}

TEST_CASE("windows: timing-only runs have the figures of functional ones")
{
    for (const levee_kv_policy_kind policy : {LEVEE_KV_FULL, LEVEE_KV_AEP, LEVEE_KV_AERP}) {
        INFO("policy " << policy);
        const Workplace place;
        (void)check_timing_only(
            place, case_of(place, with_window(16, patterns.at("the last is full")), policy));
    }
}

TEST_CASE("windows: weights in flash or crossbars, attention on the array")
{
    const std::pair<const char*, const char*> machines[] = {
        {"cambricon/systems/small.yaml", "flash"},
        {"pim/systems/retransformer_small.yaml", "reram_weights"}};
    for (const auto& [system, scheduler] : machines)
        for (const std::uint32_t window : {1U, 3U, 9U}) {
            INFO(scheduler << ", window " << window);
            const bool flash = std::string(scheduler) == "flash";
            const Workplace place;
            save_model(place, with_window(window, patterns.at("the first is full")));
            (void)check_logits(
                place,
                std::string("system: ") + system + "\n" +
                    model_and_workload(scheduler, ", context: 20"),
                [&](const ModelImage& image) { return ComposedTransformer(image, flash ? 8 : 16); },
                {}, true);
        }
}

TEST_CASE("windows: attention in crossbars processes one token per prefill pass")
{
    const std::string system = "system: pim/systems/retransformer_small.yaml\n";
    for (const std::uint32_t window : {1U, 3U, 9U}) {
        INFO("window " << window);
        const Workplace place;
        ModelShape shape = with_window(window, patterns.at("alternating"));
        save_model(place, shape);
        const nlohmann::json metrics =
            check_logits(place, system + model_and_workload("reram_plain", ", context: 20"),
                         [](const ModelImage& image) { return ComposedTransformer(image); });
        CHECK(metrics.at("generate.prefill_chunk") == 1);
        shape = opt_shape(64, 96, 4, 4, 300, 128); // Without RoPE, all attention is decomposed.
        shape.window = window;
        shape.layer_flags = patterns.at("alternating");
        save_model(place, shape);
        for (const char* const scheduler : {"reram_layers", "retransformer"})
            (void)check_logits(
                place, system + model_and_workload(scheduler, ", context: 20"),
                [](const ModelImage& image) { return DecomposedTransformer(image); });
    }
}

TEST_CASE("windows: unsupported combinations are refused by name")
{
    const auto refusal = [](const std::string& scenario, const ModelShape& shape) {
        const Workplace place;
        save_model(place, shape);
        place.write("scenario.yaml", scenario);
        const Outcome outcome = place.levee({"run", "scenario.yaml", "--out", "out"});
        CHECK(outcome.code != 0);
        return outcome.text;
    };
    const ModelShape shape = with_window(9, patterns.at("alternating"));
    CHECK_THAT(refusal("system: {extends: pim/systems/titanus_small.yaml, memories: {cim: {cores: "
                       "4, hidden: 64, feed_forward: 192}}}\n" +
                           model_and_workload("titanus", ", context: 20"),
                       shape),
               Catch::Contains("attention by cim covers all tokens") &&
                   Catch::Contains("expected workload.context of at most 9"));
    CHECK_THAT(refusal("system: pim/systems/retransformer_small.yaml\n" +
                           model_and_workload("reram_plain", ", context: 20, prefill_chunk: 4"),
                       shape),
               Catch::Contains("workload.prefill_chunk is 4; expected 1"));
    const Workplace place;
    KelleCase kelle = case_of(place, shape);
    kelle.blocks = cpq_block;
    kelle.cache = yaml(Compression{});
    kelle.policy = kv_policy(LEVEE_KV_CPQ, 0, 1, 0);
    CHECK_THAT(refusal(yaml(kelle), shape), Catch::Contains("cpq packs the rows of all layers"));
}
