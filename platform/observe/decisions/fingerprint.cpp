// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/decisions/fingerprint.hpp"

#include "platform/input/config/kv_cache.hpp"
#include "platform/input/config/kv_keys.hpp"

#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee {

namespace {

class Lines {
public:
    void put(const std::string& name, const std::string& value,
             const std::string& otherwise = absent_line)
    {
        lines_.push_back({name, value, otherwise});
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

/// Adds the policy and its settings. For a recording that is older than a key, the key has its
/// default value.
void put_policy(Lines& lines, const levee_boot_info& boot)
{
    lines.put("kv_cache.policy", config::kv_rule(boot.kv.kind).name);
    const std::vector<config::KvValue> values = config::kv_values(boot);
    const std::vector<config::KvValue> defaults = config::kv_values(config::kv_defaults());
    for (std::size_t i = 0; i < values.size(); ++i)
        lines.put(values[i].name, values[i].text, defaults[i].text);
}

/// Returns the lengths of all sequences. The shapes of operations depend on
/// them.
std::string lengths_of(const PreparedWorkload& workload)
{
    std::string text;
    for (const EncodedSequence& sequence : workload.sequences)
        text += (text.empty() ? "" : " ") + std::to_string(sequence.tokens.size()) + "/" +
                std::to_string(sequence.prefill_count);
    for (const EncodedTurn& turn : workload.turns)
        text += " turn " + std::to_string(turn.tokens.size()) + "/" +
                std::to_string(turn.max_new_tokens);
    return text;
}

/// Returns the hash of a program's loaded data, without parts that only debuggers
/// read.
std::string hash_of(const ElfImage& program)
{
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    const auto add = [&state](std::uint32_t value) {
        XXH3_64bits_update(&state, &value, sizeof value);
    };
    add(program.entry);
    for (const ElfSegment& segment : program.segments) {
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
                           const ElfImage* own_program)
{
    Lines lines;
    if (model != nullptr)
        put_model(lines, model->header());
    put_policy(lines, scenario.kv_cache.boot);
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
