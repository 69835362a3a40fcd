// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/outcome.hpp"

#include "core/config/error.hpp"
#include "core/units/time.hpp"
#include "platform/run/run.hpp"

#include <algorithm>
#include <string_view>

namespace levee::campaign {

namespace {

using Json = nlohmann::json;

constexpr std::string_view host_figures = "host.", interventions = "interventions.";
constexpr const char* perplexity_metric = "score.perplexity";
constexpr std::string_view program_ended = "the program ended with "; // same text as in Run::error
                                                                      // in platform/run
constexpr int trapped = 4; // EXIT_EXCEPTION of firmware/hal/fatal.h
constexpr std::size_t most_said = 200;

const NamedEffect& named(Effect effect)
{
    return *std::ranges::find(effects, effect, &NamedEffect::effect);
}

Json metrics_of(const Results& results)
{
    Json metrics = Json::object();
    for (const auto& [name, value] : results.metrics)
        if (!name.starts_with(host_figures) && !name.starts_with(interventions))
            std::visit([&written = metrics[name]](const auto& figure) { written = figure; }, value);
    return metrics;
}

void count_tokens(const Reference& reference, const Results& results, Outcome& outcome)
{
    const std::size_t sequences = std::max(reference.tokens.size(), results.tokens.size());
    const std::vector<std::uint32_t> none;
    for (std::size_t i = 0; i < sequences; ++i) {
        const auto& was = i < reference.tokens.size() ? reference.tokens[i] : none;
        const auto& is = i < results.tokens.size() ? results.tokens[i] : none;
        const std::size_t tokens = std::max(was.size(), is.size());
        for (std::size_t token = 0; token < tokens; ++token) {
            if (token < was.size() && token < is.size() && was[token] == is[token])
                continue;
            const auto at = static_cast<std::int64_t>(token);
            outcome.first = outcome.first < 0 ? at : std::min(outcome.first, at);
            ++outcome.changed;
        }
    }
}

/// Returns the effect of a fault on a run that has ended without an error.
Effect effect_of_end(const Reference& reference, const Results& results, const Outcome& outcome)
{
    const Json metrics = metrics_of(results);
    const bool same_score =
        metrics.value(perplexity_metric, 0.0) == reference.metrics.value(perplexity_metric, 0.0);
    if (outcome.changed != 0 || results.text != reference.text || !same_score)
        return Effect::Text;
    return metrics == reference.metrics ? Effect::Masked : Effect::Timing;
}

Effect effect_of_failure(const Results& results, int code)
{
    const bool of_program = results.error.starts_with(program_ended);
    if (of_program)
        return results.exit_code == trapped ? Effect::Crashed : Effect::Detected;
    return code == run_deadlock || code == run_out_of_time ? Effect::Hung : Effect::Detected;
}

/// Returns the first line of an error, shortened.
std::string in_short(std::string text)
{
    text.erase(std::min(text.find('\n'), text.size()));
    return config::shortened(text, most_said);
}

} // namespace

Reference reference_of(const Results& results)
{
    return {results.text, results.tokens, metrics_of(results)};
}

Json to_json(const Reference& reference)
{
    return {{"text", reference.text}, {"tokens", reference.tokens}, {"metrics", reference.metrics}};
}

Reference reference_of(const Json& json)
{
    Reference reference;
    json.at("text").get_to(reference.text);
    json.at("tokens").get_to(reference.tokens);
    reference.metrics = json.at("metrics");
    return reference;
}

Json to_json(const Outcome& outcome)
{
    return {{"effect", named(outcome.effect).name},
            {"by", outcome.by},
            {"flipped", outcome.flipped},
            {"first", outcome.first},
            {"changed", outcome.changed},
            {"perplexity", outcome.perplexity},
            {"end_ps", outcome.end_ps}};
}

Outcome outcome_of(const Json& json)
{
    Outcome outcome;
    const std::string name = json.at("effect");
    outcome.effect = std::ranges::find(effects, name, &NamedEffect::name)->effect;
    json.at("by").get_to(outcome.by);
    json.at("flipped").get_to(outcome.flipped);
    outcome.first = json.at("first");
    outcome.changed = json.at("changed");
    outcome.perplexity = json.at("perplexity");
    outcome.end_ps = json.at("end_ps");
    return outcome;
}

Outcome compare(const Reference& reference, const Results& results, int code)
{
    constexpr auto ps_per_s = static_cast<double>(ps_per_second);
    Outcome outcome;
    count_tokens(reference, results, outcome);
    outcome.perplexity = results.number(perplexity_metric);
    outcome.end_ps = static_cast<std::uint64_t>(results.number("sim.seconds") * ps_per_s + 0.5);
    // The platform's checks find errors that a chip would not, so an error found by them does not
    // count as detected.
    const bool ended_well = code == 0 || code == run_check_failed;
    outcome.effect =
        ended_well ? effect_of_end(reference, results, outcome) : effect_of_failure(results, code);
    if (!ended_well)
        outcome.by = in_short(results.error);
    return outcome;
}

} // namespace levee::campaign
