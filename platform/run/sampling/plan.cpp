// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampling/plan.hpp"

#include "platform/input/config/kv_keys.hpp"

#include <algorithm>

namespace levee::sampling {

namespace {

using config::Error;

void check_workload(const config::SamplingConfig& config, const config::Scenario& scenario,
                    const PreparedWorkload& prepared)
{
    const config::WorkloadConfig& work = *scenario.workload;
    const auto refuse = [&](const std::string& what) {
        return Error(config.place, "'sampling' " + what);
    };
    if (scenario.system.data != DataMode::TimingOnly)
        throw refuse("omits most of the work, so it cannot compute data; expected 'data: "
                     "timing_only'");
    if (work.app != "generate" || work.max_new_tokens == 0 || work.stop_token != "none")
        throw refuse("needs a run of known length; expected 'workload.app: generate' with "
                     "'max_new_tokens' and 'stop_token: none'");
    if (work.speculation)
        throw refuse("supports one token per step, but 'workload.speculation' generates several; "
                     "expected one of the two keys");
    if (!prepared.turns.empty())
        throw refuse("supports one prompt and one answer, but 'workload.turns' has several; "
                     "expected one of the two keys");
    for (const levee_kv_key& key : levee_kv_keys)
        if (key.beside != nullptr && config::is_kv_given(key, scenario.kv_cache.boot))
            throw refuse(std::string("omits tokens whose ") + key.beside + " 'kv_cache." +
                         key.name + "' would read; expected one of the two keys");
    if (work.prefill_chunk == 0)
        throw refuse("simulates only some chunks of the prefill, so it needs their size; expected "
                     "'workload.prefill_chunk'");
    if (prepared.sequences.size() > prepared.batch)
        throw refuse("supports one batch; expected a 'workload.batch' that contains all " +
                     std::to_string(prepared.sequences.size()) + " sequences");
    const std::size_t tokens = prepared.sequences.front().tokens.size();
    for (const EncodedSequence& sequence : prepared.sequences)
        if (sequence.tokens.size() != tokens || sequence.prefill_count != tokens)
            throw refuse("supports only prompts of one length, because one entry's prefill "
                         "represents all; expected 'workload.prompt_tokens'");
}

std::vector<Sample> samples_of(const config::SampleConfig& config, const char* key,
                               std::uint32_t total, std::span<const std::uint64_t> kinks)
{
    if (config.list.empty())
        return choose(total, config.count, kinks);
    const std::vector<std::uint32_t>& list = config.list;
    if (list.front() != 0 || list.back() != total - 1)
        throw Error(config.place, std::string("'sampling.") + key + "' goes from " +
                                      std::to_string(list.front()) + " to " +
                                      std::to_string(list.back()) +
                                      "; expected a list that begins with 0 and ends with " +
                                      std::to_string(total - 1));
    std::vector<Sample> samples;
    for (const std::uint32_t part : list)
        samples.push_back({part, part == 0 || part == total - 1});
    return samples;
}

} // namespace

Plan make_plan(const config::SamplingConfig& config, const config::Scenario& scenario,
               const PreparedWorkload& prepared, std::uint32_t window)
{
    check_workload(config, scenario, prepared);
    const config::WorkloadConfig& work = *scenario.workload;
    const auto tokens = static_cast<std::uint32_t>(prepared.sequences.front().tokens.size());
    Plan plan;
    plan.entries = static_cast<std::uint32_t>(prepared.sequences.size());
    plan.chunks_of_entry = (tokens + work.prefill_chunk - 1) / work.prefill_chunk;
    plan.steps = work.max_new_tokens - 1; // the first token comes from the prefill
    const std::uint64_t last = plan.chunks_of_entry - 1;
    // The last chunk differs, since it also computes logits. The chunk before it is like the
    // earlier ones.
    std::vector<std::uint64_t> chunk_kinks{1, last - 1};
    if (window != 0) // until the window is full, each chunk attends to more tokens
        chunk_kinks.insert(chunk_kinks.end(),
                           {window / work.prefill_chunk, window / work.prefill_chunk + 1});
    plan.chunks = samples_of(config.chunks, "chunks", plan.chunks_of_entry, chunk_kinks);
    plan.final_length = config.final_length;
    plan.layers = config.layers;
    if (plan.steps == 0)
        return plan;
    if (config.final_length) {
        plan.done_steps = choose(plan.steps, 2, {});
        return plan;
    }
    std::vector<std::uint64_t> kinks{1};
    if (!config::keeps_all(scenario.kv_cache.boot.kv.kind) &&
        scenario.kv_cache.boot.kv.budget >= tokens) {
        const std::uint64_t full = scenario.kv_cache.boot.kv.budget - tokens;
        // The cache reaches its final length after two steps that evict tokens.
        kinks.insert(kinks.end(), {full - 1, full, full + 1, full + 2});
    }
    if (window > tokens)
        kinks.insert(kinks.end(), {window - tokens - 1, window - tokens});
    plan.done_steps = samples_of(config.steps, "steps", plan.steps, kinks);
    return plan;
}

void list_samples(const Plan& plan, PreparedWorkload& prepared)
{
    for (const Sample& chunk : plan.chunks)
        prepared.sample_chunks.push_back(chunk.part);
    for (const Sample& step : plan.done_steps)
        prepared.sample_steps.push_back(step.part);
    prepared.sample_layers = plan.layers;
}

} // namespace levee::sampling
