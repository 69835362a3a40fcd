// SPDX-License-Identifier: Apache-2.0
#include "platform/run/warnings.hpp"

#include "core/config/quantity.hpp"
#include "core/numerics/overflow.hpp"
#include "firmware/policies/figures.h"
#include "platform/observe/energy/meter.hpp"
#include "platform/observe/report/versions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace levee {

namespace {

std::string gibibytes(double bytes)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2f GiB", bytes / (1u << 30));
    return text.data();
}

/// Returns the number of tokens of the longest sequence at its end; 0 if there is no text.
std::uint32_t most_tokens(const RunInputs& inputs)
{
    std::uint32_t most = 0;
    if (!inputs.work.prepared)
        return most;
    for (const EncodedTurn& turn : inputs.work.prepared->turns)
        most += static_cast<std::uint32_t>(turn.tokens.size()) + turn.max_new_tokens;
    if (most != 0)
        return most - 1; // the last token of the last answer is not fed back
    const PreparedWorkload& prepared = *inputs.work.prepared;
    for (std::size_t i = 0; i < prepared.sequences.size(); ++i) {
        const std::uint32_t more = new_tokens_of(prepared, *inputs.scenario.workload, i);
        most = std::max(most, static_cast<std::uint32_t>(prepared.sequences[i].tokens.size()) +
                                  std::max(more, 1U) - 1);
    }
    return most;
}

/// Returns the longest pause in which a conversation's keys and values stay in the cache.
std::uint64_t longest_pause(const RunInputs& inputs)
{
    std::uint64_t longest = 0;
    if (!inputs.work.prepared)
        return longest;
    const PreparedWorkload& prepared = *inputs.work.prepared;
    for (std::size_t i = 1; i < prepared.turns.size(); ++i) // before the first turn the cache is
                                                            // empty
        if (!leaves_its_place(prepared, i, inputs.plan.config.timebase_hz))
            longest = std::max(longest, prepared.turns[i].after_ps);
    return longest;
}

/// Warns if no pause is long enough for the cache to be saved elsewhere or released, although the
/// scenario asks for it.
void warn_of_pauses(const RunInputs& inputs, std::vector<std::string>& warnings)
{
    if (!inputs.work.prepared)
        return;
    const PreparedWorkload& prepared = *inputs.work.prepared;
    const std::optional<std::uint64_t> after = longest_in_place_ps(prepared);
    if (!after)
        return;
    for (std::size_t i = 0; i < prepared.turns.size(); ++i)
        if (leaves_its_place(prepared, i, inputs.plan.config.timebase_hz))
            return;
    const auto text = [](std::uint64_t ps) {
        return config::format_quantity(ps, config::Dimension::Time);
    };
    const bool saves = prepared.save_after_ps.has_value();
    warnings.push_back(std::string(saves ? "workload.save.after" : "workload.forget_after") +
                       " is " + text(*after) + ", and " +
                       (prepared.turns.size() < 2
                            ? "there is no later turn"
                            : "the longest pause between turns is " + text(longest_pause(inputs))) +
                       ": keys and values are never " + (saves ? "saved" : "released") +
                       ", so times and energies are those of a run without this key. " +
                       (prepared.turns.size() < 2
                            ? "Remove the key"
                            : "Set it to less than a pause, or remove the key"));
}

void warn_of_components(const RunInputs& inputs, std::vector<std::string>& warnings)
{
    const std::filesystem::path technology = std::filesystem::path(scenarios_folder()) / "tech";
    const levee_boot_info boot_info = boot_info_ahead(inputs.plan, inputs.scenario);
    const bool stores_inputs = config::kv_rule(boot_info.kv.kind).stores_inputs;
    const bool has_experts = inputs.work.model && inputs.work.model->shape().experts != 0;
    const std::uint32_t roles =
        ~(has_experts ? 0U : LEVEE_ROLE_EXPERTS); // the roles that have data
    for (const PlannedComponent& component : inputs.plan.components)
        if (component.plan.caveats)
            for (const std::string& caveat : component.plan.caveats(
                     {boot_info, stores_inputs, component.name, component.roles & roles,
                      most_tokens(inputs), inputs.scenario.tech.has_value(), longest_pause(inputs),
                      technology}))
                warnings.push_back(component.name + " " + caveat);
}

void warn_of_prices(const RunInputs& inputs, std::vector<std::string>& warnings)
{
    const std::vector<energy::Consumer> components = energy::consumers_of(inputs.plan);
    for (const energy::PriceList& list : inputs.prices) {
        std::string text;
        for (const std::string& difference : list.scope().outside(components))
            text += (text.empty() ? "" : ", ") + difference;
        if (!text.empty())
            warnings.push_back("energies may be wrong, since the prices of '" + list.name() +
                               "' are for another machine: " + text);
        for (const energy::Consumer& component : components)
            if (const std::string assumed = list.assumed(component); !assumed.empty())
                warnings.push_back("the prices of '" + list.name() + "' for " + component.name +
                                   " are partly assumed: " + assumed);
    }
}

void warn_of_overcommit(const SystemPlan& plan, const Results& results,
                        std::vector<std::string>& warnings)
{
    for (const PlannedComponent& memory : plan.components) {
        const auto installed = static_cast<double>(memory.plan.placement.installed_bytes);
        const double beyond = results.number(memory.name + ".overcommitted_bytes");
        if (beyond > 0)
            warnings.push_back(
                memory.name + " is overcommitted: " + gibibytes(installed + beyond) +
                " are used, " + gibibytes(installed) +
                " are installed. A real machine of this size cannot run this workload");
    }
}

/// Warns of results that overflowed to infinity, which the firmware does not notice.
void warn_of_overflows(const SystemPlan& plan, const Results& results,
                       std::vector<std::string>& warnings)
{
    for (const PlannedComponent& component : plan.components) {
        const double count = results.number(component.name + "." + overflows_figure);
        if (count <= 0)
            continue;
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), "%.0f", count);
        warnings.push_back(
            component.name + ": " + text.data() +
            " results overflowed their format and became infinity or NaN. A "
            "quantiser codes them as 0 or as the largest value, so logits, tokens and perplexity "
            "are meaningless from there on; times and energies remain valid. Check the magnitudes "
            "of the image's weights and scales");
    }
}

bool was_used(const PlannedComponent& component, const Results& results)
{
    const auto figure = [&](const char* name) { return results.number(component.name + name); };
    const bool worked = figure(".operations") > 0; // operations of the component's queue
    return worked || (component.stores() && figure(".read_bytes") + figure(".write_bytes") > 0);
}

/// Returns whether the component computes, instead of only moving data or signalling. A component
/// that computes counts events that are not bytes.
bool computes(const Declaration& type)
{
    return type.operation_bytes != 0 &&
           std::ranges::any_of(type.events, [](const EnergyEvent& event) {
               return event.unit == EnergyEvent::Unit::Each;
           });
}

/// Returns whether the run could have used the component. Memories for data could be used, and so
/// could arrays that the roofline counts. Any other component counts only if another one of its
/// type was used.
bool could_serve(const PlannedComponent& component, const SystemPlan& plan, const Results& results)
{
    if (component.stores())
        return (component.roles & ~LEVEE_ROLE_CODE) != 0;
    if (!component.plan.shares.empty() || !computes(component.declaration()))
        return false;
    return component.plan.macs_per_second != 0 ||
           std::ranges::any_of(plan.components, [&](const PlannedComponent& other) {
               return other.type == component.type && was_used(other, results);
           });
}

void warn_of_idle(const SystemPlan& plan, const Results& results,
                  std::vector<std::string>& warnings)
{
    for (const PlannedComponent& component : plan.components) {
        if (was_used(component, results) || !could_serve(component, plan, results))
            continue;
        std::string text = component.name + " was not used";
        if (component.stores())
            text +=
                ": no data of its roles (" + role_names(component.roles) + ") were read or written";
        else if (component.plan.macs_per_second != 0)
            text += ", but the roofline's peak includes its array";
        warnings.push_back(text);
    }
}

/// Warns if recomputation is set to take no time, or if recomputation that should be hidden never
/// happened.
void warn_of_recomputation(const levee_kv_policy& policy, const Results& results,
                           std::vector<std::string>& warnings)
{
    if (!config::kv_rule(policy.kind).stores_inputs)
        return;
    if (policy.recompute == LEVEE_KV_RECOMPUTE_HIDDEN && results.metrics.contains("kv.x_rows") &&
        results.number("kv.x_rows") == 0 &&
        !results.metrics.contains(LEVEE_FIGURE_RECOMPUTE_OFF_GQA) &&
        !results.metrics.contains(LEVEE_FIGURE_RECOMPUTE_OFF_BITS))
        warnings.emplace_back("'kv_cache.recompute: hidden' has no effect: this machine has no "
                              "idle time in which to recompute keys and values");
    if (policy.recompute == LEVEE_KV_RECOMPUTE_FREE &&
        results.number(LEVEE_FIGURE_RECOMPUTED_ROWS) > 0)
        warnings.emplace_back("'kv_cache.recompute: free' is unrealistic: the run only reads the "
                              "stored inputs. A real machine also needs time for two products "
                              "with weight matrices per recomputed token");
}

/// Warns of settings without effect: `kv_cache.layers: all`, or a policy while all layers keep
/// their window.
void warn_of_windows(const RunInputs& inputs, const Results& results,
                     std::vector<std::string>& warnings)
{
    const levee_kv_policy& policy = inputs.scenario.kv_cache.boot.kv;
    const ModelShape& shape = inputs.work.model->shape();
    const double slices = results.number("kv.slices");
    const bool keeps = results.metrics.contains("kv.local_slots") &&
                       results.number("kv.local_slots") == shape.window;
    const bool all = inputs.scenario.kv_cache.boot.codes.layers == LEVEE_KV_LAYERS_ALL;
    const std::uint32_t context = inputs.scenario.workload->context;
    const bool has_window = shape.window != 0 && (context == 0 || shape.window < context);
    if (all && (keeps || !has_window))
        warnings.push_back("'kv_cache.layers: all' has no effect: " +
                           (keeps ? "the budget has room for the local layers' window of " +
                                        std::to_string(shape.window) + " tokens"
                                  : std::string("no layer of the model has a window shorter than "
                                                "workload.context")));
    if (config::kv_rule(policy.kind).evicts && keeps && results.number("kv.local_slices") == slices)
        warnings.push_back("'kv_cache.policy: " + std::string(config::kv_rule(policy.kind).name) +
                           "' has no effect: all " + std::to_string(shape.layers) +
                           " layers of the model keep their window of " +
                           std::to_string(shape.window) + " tokens");
}

/// Adds the notes in a shape's file, which say where a run differs from the model.
void warn_of_shape(const std::optional<config::ShapeConfig>& shape,
                   std::vector<std::string>& warnings)
{
    if (!shape)
        return;
    for (const std::string& note : shape->notes)
        warnings.push_back("model '" + shape->name + "': " + note);
}

/// Adds the notes of the model's shape and of the draft's.
void warn_of_models(const config::Scenario& scenario, std::vector<std::string>& warnings)
{
    if (scenario.model)
        warn_of_shape(scenario.model->shape, warnings);
    if (scenario.workload && scenario.workload->speculation &&
        scenario.workload->speculation->draft)
        warn_of_shape(scenario.workload->speculation->draft->shape, warnings);
}

/// Warns of experts that are drawn instead of chosen by a router.
void warn_of_experts(const RunInputs& inputs, const ModelShape& shape,
                     std::vector<std::string>& warnings)
{
    const double skew = inputs.scenario.decisions.expert_skew;
    if (shape.experts == 0 || !inputs.scenario.decisions.statistics)
        return;
    std::array<char, 32> digits{};
    const std::string share(digits.data(),
                            std::to_chars(digits.data(), digits.data() + digits.size(), skew).ptr);
    warnings.push_back(
        "each token's " + std::to_string(shape.chosen) + " of " + std::to_string(shape.experts) +
        " experts are drawn, " +
        (skew == 0.0 ? "all equally likely" : "the i-th in proportion to i^-" + share) +
        " (decisions.expert_skew). A trained router chooses differently, so a batch or a prefill "
        "may read more or fewer bytes" +
        (inputs.scenario.sampling
             ? "; estimated sampling errors do not include the random draws of each step"
             : ""));
}

/// Warns of drawn experts of the model and of the draft.
void warn_of_experts(const RunInputs& inputs, std::vector<std::string>& warnings)
{
    std::uint32_t experts = 0;
    for (const auto* model : {&inputs.work.model, &inputs.work.draft})
        if (*model) {
            experts += (*model)->shape().experts;
            warn_of_experts(inputs, (*model)->shape(), warnings);
        }
    if (experts == 0 && inputs.scenario.decisions.expert_skew != 0.0)
        warnings.push_back(
            "decisions.expert_skew has no effect, since the model has no experts. Remove the key");
}

/// Warns of a sampled run with a cache of experts, since only the simulated parts fill this cache.
void warn_of_copies(const RunInputs& inputs, std::vector<std::string>& warnings)
{
    for (const PlannedComponent& component : inputs.plan.components)
        if (component.plan.copies && inputs.scenario.sampling)
            warnings.push_back(
                component.name +
                " only sees the experts of sampled steps. No expert is loaded or evicted between "
                "them, so misses are overestimated while the cache fills up. Sample more of the "
                "first steps, or run without 'sampling'");
}

/// Warns of sections in `kv_cache` that the policy does not use. Users leave them there to compare
/// policies.
void warn_of_unused(const config::KvCacheConfig& policy, std::vector<std::string>& warnings)
{
    for (const std::string& key : policy.unused)
        warnings.push_back("kv_cache." + key + " has no effect with 'policy: " +
                           config::kv_rule(policy.boot.kv.kind).name + "'");
}

/// Warns if decisions are drawn from statistics, but attention does not read all kept tokens. The
/// statistics were measured with attention that reads them all.
void warn_of_statistics(const config::Scenario& scenario, std::vector<std::string>& warnings)
{
    const config::KvCacheConfig& policy = scenario.kv_cache;
    const levee_kv_rule& rule = config::kv_rule(policy.boot.kv.kind);
    if (scenario.decisions.statistics && rule.scores && !rule.votes &&
        policy.boot.retrieval.bits != 0)
        warnings.emplace_back(
            "decisions.statistics were measured with attention to all kept tokens, but "
            "kv_cache.retrieval reads only some. The numbers of evictions and of refreshes of "
            "high-score tokens may therefore be wrong");
}

/// Warns if the scenario's `timing` omits some causes of time, since the run's times and
/// energies do not show this.
void warn_of_timing(const SystemPlan& plan, std::vector<std::string>& warnings)
{
    const config::TimingConfig& timing = plan.config.timing;
    std::string causes;
    const auto add = [&](bool is_left_out, const std::string& name) {
        if (is_left_out)
            causes += (causes.empty() ? "" : ", ") + name;
    };
    for (const PlannedComponent& component : plan.components)
        if (component.declaration().operation_bytes != 0)
            add(timing.of(component.name) != TakesTime::All, component.name);
    add(!timing.latency, "latency");
    add(!timing.fetch, "fetch");
    if (!causes.empty())
        warnings.push_back("'timing' omits the time of " + causes +
                           ": times, rates and energies are not those of the machine");
}

/// Warns if the firmware has processed a prompt token by token although nobody requested this.
void warn_of_prefill(const RunInputs& inputs, const Results& results,
                     std::vector<std::string>& warnings)
{
    const config::WorkloadConfig& workload = *inputs.scenario.workload;
    const bool long_prompt =
        std::ranges::any_of(inputs.work.prepared->sequences, [](const EncodedSequence& sequence) {
            return sequence.prefill_count > 1;
        });
    if (long_prompt && workload.prefill_chunk == 0 && results.number("generate.prefill_chunk") == 1)
        warnings.push_back("scheduler " + workload.scheduler.name +
                           " prefills token by token, so the prefill takes as long as the same "
                           "number of decode steps");
}

/// Warns that a run was cut off, so that its latencies do not include later events.
void warn_of_unfinished(const Results& results, std::vector<std::string>& warnings)
{
    const double unfinished = results.number("requests.unfinished");
    if (unfinished == 0)
        return;
    const auto whole = [](double count) { return std::to_string(std::llround(count)); };
    warnings.push_back(whole(unfinished) + " of " + whole(results.number("requests.count")) +
                       " requests had not arrived or were unfinished when the run ended: means "
                       "and percentiles in 'requests.*' include only the measured times");
}

} // namespace

std::vector<std::string> warnings_ahead(const RunInputs& inputs)
{
    std::vector<std::string> warnings;
    warn_of_components(inputs, warnings);
    warn_of_timing(inputs.plan, warnings);
    warn_of_unused(inputs.scenario.kv_cache, warnings);
    warn_of_statistics(inputs.scenario, warnings);
    warn_of_models(inputs.scenario, warnings);
    if (inputs.work.prepared && inputs.work.model)
        warn_of_experts(inputs, warnings);
    warn_of_copies(inputs, warnings);
    if (inputs.work.prepared)
        warnings.insert(warnings.end(), inputs.work.prepared->warnings.begin(),
                        inputs.work.prepared->warnings.end());
    warn_of_pauses(inputs, warnings);
    warn_of_prices(inputs, warnings);
    return warnings;
}

std::vector<std::string> warnings_of(const RunInputs& inputs, const Results& results)
{
    std::vector<std::string> warnings;
    warn_of_overcommit(inputs.plan, results, warnings);
    warn_of_overflows(inputs.plan, results, warnings);
    warn_of_recomputation(inputs.scenario.kv_cache.boot.kv, results, warnings);
    warn_of_unfinished(results, warnings);
    if (inputs.work.prepared && inputs.work.model)
        warn_of_windows(inputs, results, warnings);
    // A program without a workload need not use all components.
    if (inputs.work.prepared && results.exit_code == 0)
        warn_of_idle(inputs.plan, results, warnings);
    if (inputs.work.prepared && results.exit_code == 0)
        warn_of_prefill(inputs, results, warnings);
    return warnings;
}

} // namespace levee
