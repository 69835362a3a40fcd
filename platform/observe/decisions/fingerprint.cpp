// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/fingerprint.hpp"

#include "platform/input/config/kv_cache.hpp"

#include <limits>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee {

namespace {

class Lines {
public:
    void put(const std::string& name, const std::string& value)
    {
        lines_.emplace_back(name, value);
    }
    void put(const std::string& name, std::uint64_t value) { put(name, std::to_string(value)); }
    [[nodiscard]] Fingerprint take() { return std::move(lines_); }

private:
    Fingerprint lines_;
};

void put_model(Lines& lines, const levee_model_header& shape)
{
    lines.put("model.dim", shape.dim);
    lines.put("model.hidden", shape.hidden);
    lines.put("model.layers", shape.layers);
    lines.put("model.heads", shape.heads);
    lines.put("model.kv_heads", shape.kv_heads);
    lines.put("model.head_dim", shape.head_dim);
    lines.put("model.vocab", shape.vocab);
    lines.put("model.max_context", shape.max_context);
    lines.put("model.norm", shape.norm);
    lines.put("model.activation", shape.activation);
    lines.put("model.position", shape.position);
    lines.put("model.weight_type", shape.weight_type);
    lines.put("model.tensors", shape.tensor_count);
    lines.put("model.image_bytes", shape.image_bytes);
}

/// All digits that tell it from any other float.
std::string shown(float value)
{
    std::ostringstream text;
    text.precision(std::numeric_limits<float>::max_digits10);
    text << value;
    return text.str();
}

void put_retrieval(Lines& lines, const levee_kv_retrieval& retrieval)
{
    lines.put("kv_cache.retrieval.bits", retrieval.bits);
    lines.put("kv_cache.retrieval.distance", retrieval.distance);
    lines.put("kv_cache.retrieval.merge", retrieval.merge);
    lines.put("kv_cache.retrieval.range", shown(retrieval.range));
    lines.put("kv_cache.retrieval.top_k", retrieval.top_k);
    lines.put("kv_cache.retrieval.share", retrieval.share);
}

void put_cpq(Lines& lines, const levee_kv_cpq& cpq)
{
    lines.put("kv_cache.cpq.key_bits", cpq.key_bits);
    lines.put("kv_cache.cpq.value_bits", cpq.value_bits);
    lines.put("kv_cache.cpq.max_levels", cpq.max_levels);
    lines.put("kv_cache.cpq.tolerance", shown(cpq.tolerance));
    const auto put = [&lines](const std::string& name, const float* thresholds,
                              std::uint32_t count) {
        std::string all;
        for (std::uint32_t i = 0; i < count; ++i)
            all += (i == 0 ? "" : " ") + shown(thresholds[i]);
        lines.put(name, all);
    };
    put("kv_cache.cpq.key_threshold", cpq.key_threshold, cpq.key_layers);
    put("kv_cache.cpq.value_threshold", cpq.value_threshold, cpq.value_layers);
}

void put_policy(Lines& lines, const config::KvCacheConfig& policy)
{
    lines.put("kv_cache.policy", config::kv_rule(policy.kind).name);
    lines.put("kv_cache.budget", policy.budget);
    lines.put("kv_cache.recent_window", policy.window);
    lines.put("kv_cache.sinks", policy.sinks);
    lines.put("kv_cache.score", config::kv_word(LEVEE_KV_KEY_SCORE, policy.score));
    lines.put("kv_cache.view_bits", policy.view_bits);
    lines.put("kv_cache.recompute", config::kv_word(LEVEE_KV_KEY_RECOMPUTE, policy.recompute));
    lines.put("kv_cache.staging", policy.staging_bytes);
    lines.put("kv_cache.recent_high", policy.recent_high != 0 ? "true" : "false");
    if (config::kv_uses(policy.kind, LEVEE_KV_KEY_DRAW))
        lines.put("kv_cache.draw", config::kv_word(LEVEE_KV_KEY_DRAW, policy.random.draw));
    if (policy.codes.bits != 0)
        lines.put("kv_cache.bits", policy.codes.bits);
    if (policy.retrieval.bits != 0)
        put_retrieval(lines, policy.retrieval);
    if (config::compresses(policy.cpq))
        put_cpq(lines, policy.cpq);
    if (!config::kv_rule(policy.kind).votes)
        return;
    lines.put("kv_cache.threshold.mean", shown(policy.voting.mean_factor));
    lines.put("kv_cache.threshold.deviation", shown(policy.voting.deviation_factor));
    lines.put("kv_cache.reserved", policy.voting.reserved);
    lines.put("kv_cache.protect", policy.voting.protect);
}

/// Lengths of all sequences, one entry each: shapes depend on their number and lengths.
std::string lengths_of(const PreparedWorkload& workload)
{
    std::string text;
    for (const EncodedSequence& sequence : workload.sequences)
        text += (text.empty() ? "" : " ") + std::to_string(sequence.tokens.size()) + "/" +
                std::to_string(sequence.prefill_count);
    return text;
}

/// Hash of what is loaded of a program: what only debuggers read may differ.
std::string hash_of(const riscv::ElfImage& program)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    const auto add = [&state](std::uint32_t value) {
        XXH3_64bits_update(&state, &value, sizeof value);
    };
    add(program.entry);
    for (const riscv::ElfSegment& segment : program.segments) {
        add(segment.address);
        add(segment.memory_bytes);
        add(static_cast<std::uint32_t>(segment.data.size()));
        XXH3_64bits_update(&state, segment.data.data(), segment.data.size());
    }
    std::ostringstream text;
    text << std::hex << XXH3_64bits_digest(&state);
    return text.str();
}

void put_workload(Lines& lines, const config::WorkloadConfig& config)
{
    lines.put("workload.scheduler", config.scheduler.name);
    lines.put("workload.max_new_tokens", config.max_new_tokens);
    lines.put("workload.prefill_chunk", config.prefill_chunk);
    lines.put("workload.stop_token", config.stop_token);
    if (!config.lm_head)
        lines.put("workload.lm_head", "false");
}

void put_system(Lines& lines, const SystemPlan& plan)
{
    for (const PlannedComponent& component : plan.components)
        if (component.stores())
            lines.put("system.memories." + component.name,
                      component.type->name() + " of " +
                          std::to_string(component.plan.placement.size_bytes) + " bytes, roles [" +
                          role_names(component.roles) + "]");
        else
            lines.put("system.blocks." + component.name, component.type->name());
}

} // namespace

Fingerprint fingerprint_of(const SystemPlan& plan, const config::Scenario& scenario,
                           const ModelImage* model, const PreparedWorkload* workload,
                           const riscv::ElfImage* own_program)
{
    Lines lines;
    if (model != nullptr)
        put_model(lines, model->header());
    put_policy(lines, scenario.kv_cache);
    if (own_program != nullptr)
        lines.put("program", "an ELF file of content " + hash_of(*own_program));
    else if (scenario.workload)
        lines.put("workload.app", scenario.workload->app);
    if (scenario.workload)
        put_workload(lines, *scenario.workload);
    if (workload != nullptr) {
        lines.put("workload.batch", workload->batch);
        lines.put("workload.context", workload->context);
        lines.put("prompts' lengths (tokens/prefilled)", lengths_of(*workload));
    }
    put_system(lines, plan);
    lines.put("seed", scenario.seed);
    return lines.take();
}

} // namespace levee
