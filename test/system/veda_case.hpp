// SPDX-License-Identifier: Apache-2.0
// Runs one model on VEDA, compares its logits with the composed reference, and repeats the run
// timing-only.
#pragma once

#include "platform/input/import/synthetic.hpp"
#include "platform/input/model/memory_form.hpp"
#include "test/reference/fp16_transformer.hpp"
#include "test/system/both_kinds.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::test {

using Ids = std::vector<std::uint32_t>;

inline constexpr const char* embedded = LEVEE_SOURCE "/models/embedded/stories.levee";

struct VedaCase {
    std::optional<ModelShape> shape; ///< Shape of a synthetic model; if absent, the embedded model.
    std::vector<Ids> prompts;
    std::string more;          ///< further keys of the workload section
    bool columns_first = true; ///< Matrices that read normalised vectors are stored by columns.
    std::string rest;          ///< further sections of the scenario
    std::size_t new_tokens = 12;
    std::string system = "systems/veda.yaml";
    CacheRule rule{}; ///< Rule of a cache of limited size; `system` must have the required block.
};

inline constexpr levee_kv_policy_kind veda_policies[] = {
    LEVEE_KV_VOTING, LEVEE_KV_STREAMING, LEVEE_KV_H2O, LEVEE_KV_RANDOM, LEVEE_KV_AEP};

inline CacheRule rule_of(levee_kv_policy_kind kind, std::uint32_t budget)
{
    CacheRule rule;
    rule.policy.kind = kind;
    rule.policy.budget = budget;
    rule.policy.window = 4;
    rule.policy.sinks = 2;
    rule.policy.score = LEVEE_SE_SOFTMAX;
    rule.voting = {1.0f, 0.2f, 4, 1};
    rule.seed = 7;
    return rule;
}

inline std::string yaml(const CacheRule& rule)
{
    const char* const kinds[] = {"full", "streaming", "h2o", "random", "aep", "aerp", "voting"};
    if (!rule.evicts())
        return "";
    const auto text = [](auto value) { return std::to_string(value); };
    return std::string("kv_cache: {policy: ") + kinds[rule.policy.kind] +
           ", budget: " + text(rule.policy.budget) + ", sinks: " + text(rule.policy.sinks) +
           ", recent_window: " + text(rule.policy.window) +
           ", threshold: {mean: " + text(rule.voting.mean_factor) +
           ", deviation: " + text(rule.voting.deviation_factor) +
           "}, reserved: " + text(rule.voting.reserved) +
           ", protect: " + text(rule.voting.protect) + (rule.reach.empty() ? "" : ", layers: all") +
           "}\nseed: " + text(rule.seed) + "\n";
}

inline Ids drawn_ids(std::uint32_t seed, std::size_t count)
{
    Ids ids;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        ids.push_back((seed >> 8) % 250);
    }
    return ids;
}

inline std::string image_of(const VedaCase& which)
{
    return which.shape ? "model.levee" : embedded;
}

inline std::string scenario_of(const VedaCase& which)
{
    return "system: " + which.system + "\nmodel: {image: " + image_of(which) + ", weights: fp16" +
           (which.columns_first ? ", columns_first: [qkv, up, classifier]" : "") +
           "}\nworkload: {app: generate, scheduler: veda, prompt_ids: " +
           nlohmann::json(which.prompts).dump() +
           ", batch: " + std::to_string(which.prompts.size()) +
           ", max_new_tokens: " + std::to_string(which.new_tokens) + ", stop_token: none" +
           which.more + "}\n" + yaml(which.rule) + which.rest;
}

inline void save_model(const Workplace& place, const VedaCase& which)
{
    if (!which.shape)
        return;
    const std::vector<std::uint8_t> bytes = import_synthetic(*which.shape, {});
    place.write("model.levee", std::string(bytes.begin(), bytes.end()));
}

/// Returns the reference of sequence `entry` of the batch. Its prefill passes have `chunk` tokens.
inline Fp16Transformer reference_of(const ModelImage& image, const VedaCase& which,
                                    std::uint32_t chunk, std::uint32_t entry)
{
    std::set<levee_tensor_kind> outer;
    if (which.columns_first)
        outer = {LEVEE_TENSOR_WQ, LEVEE_TENSOR_W_GATE, LEVEE_TENSOR_W_UP, LEVEE_TENSOR_CLASSIFIER};
    return {image, outer, {which.rule, chunk, entry}};
}

/// Compares every logits vector: first the last one of each prompt, then one of each sequence in
/// each step.
inline nlohmann::json check_bits(const VedaCase& which)
{
    const Workplace place;
    save_model(place, which);
    place.write("scenario.yaml", scenario_of(which) + "observe: {logits: logits.f32}\n");
    const Outcome outcome = place.levee(
        {"run", "scenario.yaml", "--out", "out", "--allow-outside", "--check", "overlap"});
    INFO(outcome.text);
    REQUIRE(outcome.code == 0);
    const std::string raw = place.read("out/logits.f32");
    const nlohmann::json results = place.results("out");
    const auto tokens = results.at("tokens").get<std::vector<Ids>>();
    const ModelImage image = image_in_form(
        ModelImage::open(which.shape ? place.path("model.levee") : std::filesystem::path(embedded)),
        {true, {}});
    const std::size_t bytes = image.shape().vocab * sizeof(float), count = which.prompts.size();
    const auto chunk = results.at("metrics").at("generate.prefill_chunk").get<std::uint32_t>();
    REQUIRE(raw.size() == bytes * count * which.new_tokens);
    for (std::size_t s = 0; s < count; ++s) {
        Fp16Transformer reference =
            reference_of(image, which, chunk, static_cast<std::uint32_t>(s));
        std::vector<float> logits = reference.prefill(which.prompts[s]);
        for (std::size_t step = 0; step < which.new_tokens; ++step) {
            INFO("sequence " << s << ", new token " << step);
            REQUIRE(std::memcmp(raw.data() + (step * count + s) * bytes, logits.data(), bytes) ==
                    0);
            logits = reference.step(tokens.at(s).at(step));
        }
    }
    return results.at("metrics");
}

inline void check_timing_only(const VedaCase& which)
{
    const Workplace place;
    save_model(place, which);
    place.write("scenario.yaml", scenario_of(which));
    (void)check_timing_only(place);
}

} // namespace levee::test
