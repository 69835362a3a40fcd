// SPDX-License-Identifier: Apache-2.0
#include "platform/run/sampled.hpp"

#include "firmware/policies/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <utility>

namespace levee {

namespace {

/// Metrics whose sampling errors are reported in the results as well.
constexpr std::array shown{"sim.seconds", "prefill.seconds", "decode.seconds", "energy.total_j"};

std::optional<double> number_of(const Results& results, const std::string& name)
{
    const auto found = results.metrics.find(name);
    if (found == results.metrics.end() || std::holds_alternative<std::string>(found->second))
        return std::nullopt;
    return results.number(name);
}

/// Whether a dotted part of a metric's name begins with `phase`: "bounds.decode.rsa.idle_seconds",
/// "energy.phase.decode_j".
bool is_of(const std::string& phase, const std::string& metric)
{
    const std::string all = "." + metric + ".", word = "." + phase;
    return all.find(word + ".") != std::string::npos || all.find(word + "_") != std::string::npos;
}

/// Whether errors of the decode phase can be estimated. Steps that recompute rows grow irregularly
/// with the rows stored before, and samples do not show that.
bool estimates_decode(const sampling::Plan& plan, const Results& results)
{
    const bool recomputes = number_of(results, LEVEE_FIGURE_RECOMPUTED_ROWS).value_or(0) > 0;
    return plan.estimates_decode() && (!recomputes || plan.done_steps.size() == plan.steps);
}

/// Whether errors can be estimated for figures of the prefill, of the decode phase, and of both.
struct Estimated {
    bool prefill, decode, both;
};

/// The prefill alone has no estimate if the time between chunks was not measured. Figures of both
/// phases use a substitute (Sampler::begin_decoding).
Estimated estimated(const sampling::Plan& plan, sampling::Between between, const Results& results)
{
    const bool chunks = plan.estimates_prefill();
    const bool steps =
        estimates_decode(plan, results) && (between.steps || plan.final_length || plan.steps == 0);
    return {chunks && between.chunks, steps, chunks && steps};
}

/// Whether the metric's error can be estimated from the samples of its phase, or of both. Metrics
/// of neither phase have no samples.
bool is_estimated(const Estimated& of, const std::string& metric)
{
    if (is_of("other", metric))
        return false;
    const bool prefill = is_of("prefill", metric), decode = is_of("decode", metric);
    return prefill == decode ? of.both : prefill ? of.prefill : of.decode;
}

/// About the share of a part's time that is simulated at once.
double share_of_layers(const Results& results)
{
    const auto done = number_of(results, "sampling.layers");
    const auto all = number_of(results, "sampling.layers_of");
    return done && all && *all > 0 ? *done / *all : 1;
}

/// The mean time of a decode step, or of a chunk if that is shorter, as far as it is simulated.
double shortest_part(const sampling::Plan& plan, const Results& results)
{
    double shortest = std::numeric_limits<double>::infinity();
    for (const auto& [name, parts] :
         {std::pair{"prefill.seconds", std::uint64_t{plan.entries} * plan.chunks_of_entry},
          std::pair{"decode.seconds", std::uint64_t{plan.steps}}})
        if (const auto seconds = number_of(results, name); seconds && parts > 0)
            shortest = std::min(shortest, *seconds / static_cast<double>(parts));
    return shortest * share_of_layers(results);
}

/// Longest refresh interval of any memory; empty if nothing is refreshed.
std::optional<double> longest_interval(const Results& results)
{
    std::optional<double> longest;
    for (const auto& [name, value] : results.metrics)
        if (name.find(".interval_s.") != std::string::npos)
            longest = std::max(longest.value_or(0), number_of(results, name).value_or(0));
    return longest;
}

/// Whether samples show the amount of refresh. If a memory is refreshed less often than there are
/// parts, all its rows may be refreshed in one part and none in many others. If only some layers
/// are simulated, rows of the others are filled between parts.
bool shows_refreshes(const sampling::Plan& plan, const Results& results)
{
    const auto interval = longest_interval(results);
    return !interval ||
           (*interval <= shortest_part(plan, results) && share_of_layers(results) == 1);
}

bool has_refreshes(const std::string& metric)
{
    return metric.starts_with("energy") || metric.find(".refresh") != std::string::npos ||
           metric.find(".valid_row_seconds") != std::string::npos;
}

/// Change of a figure in each of `varied`; nothing if one of them lacks the figure.
std::optional<std::vector<double>> changes_of(const std::string& name, double whole,
                                              const std::vector<Results>& varied)
{
    std::vector<double> changes;
    for (const Results& other : varied) {
        const auto number = number_of(other, name);
        if (!number)
            return std::nullopt;
        changes.push_back(*number - whole);
    }
    return changes;
}

} // namespace

SamplingErrors sampling_errors(const sampling::Plan& plan, const ErrorBound& bound,
                               const std::vector<Results>& varied, sampling::Between between,
                               const Results& results)
{
    SamplingErrors errors;
    const bool refreshes = shows_refreshes(plan, results);
    // Firmware's work between layers does not scale with them.
    const bool some_layers = share_of_layers(results) != 1;
    const Estimated of = estimated(plan, between, results);
    for (const auto& [name, value] : results.metrics) {
        const auto whole = number_of(results, name);
        const auto changes = whole ? changes_of(name, *whole, varied) : std::nullopt;
        if (!changes || varied.empty())
            continue;
        std::optional<double>& error = errors[name];
        if (!is_estimated(of, name) || (!refreshes && has_refreshes(name)) ||
            (some_layers && is_of("core", name)))
            continue;
        const double most = bound(*changes);
        error = most == 0 ? 0 : *whole == 0 ? 1 : most / std::abs(*whole);
    }
    return errors;
}

void add_sampling(const sampling::Plan& plan, const SamplingErrors& errors, Results& results)
{
    std::map<std::string, Metric> found;
    for (const char* const name : shown)
        if (const auto at = errors.find(name); at != errors.end() && at->second)
            found[std::string("sampling.error.") + name] = *at->second;
    found["sampling.steps"] = std::uint64_t{plan.done_steps.size()};
    found["sampling.steps_of"] = std::uint64_t{plan.steps};
    found["sampling.chunks"] = std::uint64_t{plan.chunks_done()};
    found["sampling.chunks_of"] = std::uint64_t{plan.chunks_of_entry} * plan.entries;
    for (auto& [name, value] : found) // replaces the program's figures of these names
        results.metrics[name] = std::move(value);
    if (!shows_refreshes(plan, results))
        results.warnings.emplace_back(
            share_of_layers(results) == 1
                ? "the sampling errors of energy and refresh are unknown, since samples are "
                  "shorter than a refresh interval; without 'sampling' they are exact"
                : "the sampling errors of energy and refresh are unknown, since runs with fewer "
                  "layers refresh other rows; without 'sampling.layers' they are estimated");
    if (plan.final_length)
        results.warnings.emplace_back(
            "sampling.lengths is final: every decode step is timed as the last one, with the final "
            "number of keys and values, so the figures overestimate a growing cache");
    if (number_of(results, "sampling.layers_of") && share_of_layers(results) == 1)
        results.warnings.push_back(
            "sampling.layers is " + std::to_string(plan.layers) +
            " and has no effect: too few layers are alike, or rows are recomputed from stored "
            "inputs; all layers are simulated");
    results.text.clear();
    results.tokens.clear();
}

std::string sampling_table(const SamplingErrors& errors, const Results& results)
{
    std::string table = "metric,value,error\n";
    for (const auto& [name, error] : errors) {
        std::array<char, 128> text{};
        std::snprintf(text.data(), text.size(), ",%.9g,", results.number(name));
        table += name + text.data();
        if (error) {
            std::snprintf(text.data(), text.size(), "%.3g", *error);
            table += text.data();
        }
        table += '\n';
    }
    return table;
}

} // namespace levee
