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

/// The metrics whose sampling errors are also in the results.
constexpr std::array shown{"sim.seconds", "prefill.seconds", "decode.seconds", "energy.total_j"};

std::optional<double> number_of(const Results& results, const std::string& name)
{
    const auto found = results.metrics.find(name);
    if (found == results.metrics.end() || std::holds_alternative<std::string>(found->second))
        return std::nullopt;
    return results.number(name);
}

/// Returns whether a component of a metric's dotted name is `phase` or begins with `phase` and an
/// underscore, as in "bounds.decode.rsa.idle_seconds" or "energy.phase.decode_j".
bool is_of(const std::string& phase, const std::string& metric)
{
    const std::string all = "." + metric + ".", word = "." + phase;
    return all.find(word + ".") != std::string::npos || all.find(word + "_") != std::string::npos;
}

/// Returns whether errors of the decode phase can be estimated. If steps recompute rows, a step's
/// time depends irregularly on the rows that earlier steps have stored. Samples do not show this.
bool estimates_decode(const sampling::Plan& plan, const Results& results)
{
    const bool recomputes = number_of(results, LEVEE_FIGURE_RECOMPUTED_ROWS).value_or(0) > 0;
    return plan.estimates_decode() && (!recomputes || plan.done_steps.size() == plan.steps);
}

/// States whether errors can be estimated for figures of the prefill, of the decode phase, and of
/// both together.
struct Estimated {
    bool prefill, decode, both;
};

/// Returns for which phases errors can be estimated. Without a measured time between chunks, errors
/// of the prefill cannot be estimated. Figures of both phases have a substitute for this time
/// (Sampler::begin_decoding).
Estimated estimated(const sampling::Plan& plan, sampling::Between between, const Results& results)
{
    const bool chunks = plan.estimates_prefill();
    const bool steps =
        estimates_decode(plan, results) && (between.steps || plan.final_length || plan.steps == 0);
    return {chunks && between.chunks, steps, chunks && steps};
}

/// Returns whether a metric's error can be estimated, from the samples of its phase or of both.
/// Metrics of the phase "other" have no samples.
bool is_estimated(const Estimated& of, const std::string& metric)
{
    if (is_of("other", metric))
        return false;
    const bool prefill = is_of("prefill", metric), decode = is_of("decode", metric);
    return prefill == decode ? of.both : prefill ? of.prefill : of.decode;
}

/// Returns the share of the layers that is simulated. The simulated share of a part's time is about
/// the same.
double share_of_layers(const Results& results)
{
    const auto done = number_of(results, "sampling.layers");
    const auto all = number_of(results, "sampling.layers_of");
    return done && all && *all > 0 ? *done / *all : 1;
}

/// Returns the mean simulated time of a decode step, or of a chunk if that is shorter.
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

/// Returns the longest refresh interval of all memories; nothing if no memory is refreshed.
std::optional<double> longest_interval(const Results& results)
{
    std::optional<double> longest;
    for (const auto& [name, value] : results.metrics)
        if (name.find(".interval_s.") != std::string::npos)
            longest = std::max(longest.value_or(0), number_of(results, name).value_or(0));
    return longest;
}

/// Returns whether the samples show how much is refreshed. If the interval is longer than a part,
/// one part may contain the refresh of all rows, and many others none. If only some layers are
/// simulated, rows of the other layers are filled between parts.
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

/// Returns how each entry of `varied` changes a figure; nothing if an entry lacks the figure.
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
    // With fewer layers, errors of the core's figures are unknown, since some of the firmware's
    // work does not depend on the number of layers.
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
    for (auto& [name, value] : found) // replaces the program's figures of the same name
        results.metrics[name] = std::move(value);
    if (!shows_refreshes(plan, results))
        results.warnings.emplace_back(
            share_of_layers(results) == 1
                ? "the sampling errors of energy and refresh are unknown, since samples are "
                  "shorter than a refresh interval; remove 'sampling' for exact figures"
                : "the sampling errors of energy and refresh are unknown, since runs with fewer "
                  "layers refresh other rows; remove 'sampling.layers' to get estimates");
    if (plan.final_length)
        results.warnings.emplace_back(
            "sampling.lengths is final: every decode step is timed as the last one, which reads "
            "the most keys and values; decode times and energies of a growing cache are "
            "overestimated");
    if (number_of(results, "sampling.layers_of") && share_of_layers(results) == 1)
        results.warnings.push_back(
            "sampling.layers is " + std::to_string(plan.layers) +
            " and has no effect: too few layers are identical, or rows are recomputed from stored "
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
