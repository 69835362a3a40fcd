// SPDX-License-Identifier: Apache-2.0
// Tests models in FP16 on PE arrays and an element-serial unit. Logits equal the composed
// reference's bit for bit, and timing-only runs have the figures of functional ones.
#include "test/system/veda_case.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

using namespace levee;
using namespace levee::test;

namespace {

ModelShape shape(std::uint32_t heads, std::uint32_t kv_heads, std::uint32_t head_dim)
{
    ModelShape result = llama_shape(heads * head_dim, 200, 2, heads, kv_heads, 300, 160);
    result.tied = head_dim != 64;
    return result;
}

} // namespace

TEST_CASE("the embedded model in FP16 has the reference's bits on VEDA")
{
    check_bits({.shape = {}, .prompts = {drawn_ids(1, 40)}, .more = "", .rest = ""});
}

TEST_CASE("heads of 64 and 128, grouped queries and a tied classifier have the reference's bits")
{
    for (const auto& [heads, kv_heads, dim] :
         {std::array{6u, 2u, 16u}, std::array{4u, 4u, 64u}, std::array{2u, 1u, 128u}}) {
        INFO(heads << " heads of " << dim);
        check_bits({.shape = shape(heads, kv_heads, dim),
                    .prompts = {drawn_ids(2, 21)},
                    .more = "",
                    .rest = ""});
    }
}

TEST_CASE("a prefill in chunks, and in chunks of one token, has the reference's bits")
{
    for (const char* chunk : {"1", "7", "16", "64"})
        check_bits({.shape = shape(6, 2, 16),
                    .prompts = {drawn_ids(3, 37)},
                    .more = std::string(", prefill_chunk: ") + chunk,
                    .rest = "",
                    .new_tokens = 3});
}

TEST_CASE("a batch of unequal sequences has the reference's bits")
{
    check_bits({.shape = shape(4, 2, 32),
                .prompts = {drawn_ids(4, 3), drawn_ids(5, 33), drawn_ids(6, 14)},
                .more = "",
                .rest = ""});
}

TEST_CASE("matrices stored row by row are multiplied without conversion, too")
{
    check_bits({.shape = shape(6, 2, 16),
                .prompts = {drawn_ids(7, 19)},
                .more = "",
                .columns_first = false,
                .rest = ""});
}

TEST_CASE("groups that share a model by heads and rows have the reference's bits")
{
    // The machine has 8 groups, but the small model uses fewer: one for 128 columns, four for 4
    // key/value heads.
    for (const char* chunk : {"1", "16"})
        check_bits({.shape = shape(8, 4, 32),
                    .prompts = {drawn_ids(9, 37)},
                    .more = std::string(", prefill_chunk: ") + chunk,
                    .rest = "",
                    .new_tokens = 5,
                    .system = "veda/systems/eight.yaml"});
}

namespace {

VedaCase limited(levee_kv_policy_kind kind, unsigned budget)
{
    return {.shape = shape(4, 2, 32),
            .prompts = {drawn_ids(8, 30)},
            .more = ", prefill_chunk: 16",
            .rest = "",
            .system = "veda/systems/evicting.yaml",
            .rule = rule_of(kind, budget)};
}

} // namespace

TEST_CASE("a timing-only run of an FP16 model has the figures of the functional one")
{
    VedaCase which = limited(LEVEE_KV_FULL, 0);
    check_timing_only(which);
    which.more = "";
    check_timing_only(which);
    for (const levee_kv_policy_kind kind : veda_policies) {
        INFO("policy " << kind);
        check_timing_only(limited(kind, 20));
    }
}

TEST_CASE("a policy whose budget is not reached has the bits of a full cache on VEDA")
{
    for (const levee_kv_policy_kind kind : veda_policies) {
        INFO("policy " << kind);
        check_bits(limited(kind, 60));
    }
}

TEST_CASE("each policy of a limited cache keeps different tokens on VEDA")
{
    std::set<std::string> logits;
    for (const levee_kv_policy_kind kind : veda_policies) {
        const Workplace place;
        const VedaCase which = limited(kind, 16);
        save_model(place, which);
        place.write("scenario.yaml", scenario_of(which) + "observe: {logits: logits.f32}\n");
        REQUIRE(place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"}).code == 0);
        logits.insert(place.read("out/logits.f32"));
    }
    CHECK(logits.size() == std::size(veda_policies));
}

TEST_CASE("models and machines that do not fit VEDA's target are refused with what they lack")
{
    const auto refused = [](const std::vector<std::string>& keys, const std::string& message) {
        const Workplace place;
        std::vector<std::string> arguments{"run", "veda/demo"};
        for (const std::string& key : keys)
            arguments.insert(arguments.end(), {"--set", key});
        const Outcome outcome = place.levee(arguments);
        INFO(outcome.text);
        CHECK(outcome.code == 1);
        CHECK(outcome.text.find(message) != std::string::npos);
    };
    refused({"model.weights=stored", "model.columns_first=[]"},
            "has weights of type INT8; scheduler veda supports only FP16 (model.weights: fp16)");
    refused({"system.streams.normalised=null", "system.streams.passed_on=null"},
            "this system has 1 stream ports");
    refused({"kv_cache.policy=h2o", "kv_cache.budget=64"}, "this system has no systolic evictor");
    refused({"kv_cache={policy: voting, budget: 64, threshold: {mean: 1, deviation: 0.2}, "
             "reserved: 8}",
             "system.blocks.voting=null"},
            "this system has no voting engine");
    refused({"kv_cache.policy=h2o", "kv_cache.budget=64", "kv_cache.score=logit"},
            "kv_cache.score is logit");
}

TEST_CASE("machines that need rows refuse matrices stored by columns")
{
    const Workplace place;
    const Outcome outcome = place.levee({"run", "demo", "--set", "model.weights=fp16", "--set",
                                         "model.columns_first=[classifier]"});
    CHECK(outcome.code == 1);
    CHECK(outcome.text.find("stored columns first (model.columns_first); scheduler baseline") !=
          std::string::npos);
    const Outcome int8 = place.levee({"run", "demo", "--set", "model.columns_first=[qkv]"});
    CHECK(int8.code == 2);
    CHECK(int8.text.find("'model.weights: fp16' converts them") != std::string::npos);
}

TEST_CASE("a token of Llama 2 7B takes the time by hand and the time in the paper")
{
    // docs/veda.md: 128 products per cycle of 1 ns, 32 layers, and a context of 1024.5 tokens on
    // average.
    const double layer = 4096.0 * 96 + 4096.0 * 32 + 4096.0 * 172 + 4096.0 * 86;
    const double attention = 2 * 1024.5 * 32;
    const double alone = 2 * 4096 / 2 + 11008 / 2; // Time of the function unit with two lanes.
    const double seconds = (32 * (layer + attention + alone) + 4096.0 * 250) * 1e-9;
    CHECK(1 / seconds == Approx(18.51).epsilon(1e-3));
    const Workplace place;
    REQUIRE(place.levee({"run", "veda/llama2_7b", "--no-report", "--out", "out"}).code == 0);
    const nlohmann::json metrics = place.results("out").at("metrics");
    const double speed = metrics.at("decode.tokens_per_s").get<double>();
    CHECK(speed == Approx(1 / seconds).epsilon(0.01));
    CHECK(speed == Approx(18.6).epsilon(0.06)); // Section VI gives this figure.
}

TEST_CASE("eight VEDAs take an eighth of one's time, except for norms and some HBM traffic")
{
    // docs/veda.md, "Eight that share a model": four layers of Llama 2 7B, in cycles of 1 ns.
    constexpr double layers = 4;
    const double products = 4096.0 * 96 + 4096.0 * 32 + 4096.0 * 172 + 4096.0 * 86;
    const double attention = 2 * 1024.5 * 32, alone = 2 * 4096 / 2 + 11008 / 2;
    // Each group computes the norms of all of X.
    const double norms = (2 * layers + 1) * 4096;
    const double cycles = (layers * (products + attention + alone) + 4096.0 * 250) / 8 + norms;
    const Workplace place;
    REQUIRE(place
                .levee({"run", "veda/llama2_7b_eight", "--no-report", "--out", "out", "--set",
                        "sampling.steps=2", "--set", "model.shape=models/llama2-7b.yaml", "--set",
                        "model.shape.layers=4"})
                .code == 0);
    const nlohmann::json metrics = place.results("out").at("metrics");
    const double share = cycles * 1e-9 * metrics.at("decode.tokens_per_s").get<double>();
    CHECK(share > 0.89);
    CHECK(share < 1);
}

TEST_CASE("a prefill computes the causal half of attention and reads weights once per pass")
{
    const VedaCase which{.shape = shape(8, 4, 32),
                         .prompts = {drawn_ids(10, 64)},
                         .more = "",
                         .rest = "",
                         .new_tokens = 1};
    const Workplace place;
    save_model(place, which);
    const auto metrics = [&](unsigned chunk) {
        VedaCase chunked = which;
        chunked.more = ", prefill_chunk: " + std::to_string(chunk);
        place.write("scenario.yaml", scenario_of(chunked));
        REQUIRE(place.levee({"run", "scenario.yaml", "--out", "out", "--allow-outside"}).code == 0);
        return place.results("out").at("metrics");
    };
    const double layer = 512.0 * 256 + 256.0 * 256 + 400.0 * 256 + 200.0 * 256; // Weights of one
                                                                                // layer.
    // Number of attended tokens, summed over all tokens.
    const double seen = 64.0 * 65 / 2;
    const nlohmann::json one = metrics(64), eight = metrics(8);
    const double macs = 2 * (64 * layer + 2 * seen * 256) + 300.0 * 256;
    CHECK(one.at("veda.macs").get<double>() == macs);
    CHECK(eight.at("veda.macs").get<double>() == macs);
    // Chunks of 8 tokens take seven passes more than one chunk of 64. Each reads the layers'
    // weights again, two bytes each, and keys and values.
    const double more =
        eight.at("hbm.read_bytes").get<double>() - one.at("hbm.read_bytes").get<double>();
    CHECK(more == Approx(7 * 2 * layer * 2).epsilon(0.05));
}
