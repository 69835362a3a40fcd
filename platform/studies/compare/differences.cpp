// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/differences.hpp"

#include "platform/observe/phases.hpp"
#include "platform/studies/compare/likeness.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>

namespace levee::compare {

namespace {

using Runs = std::vector<RunResults>;

std::optional<double> figure(const RunResults& run, const std::string& name)
{
    const auto found = run.figures.find(name);
    return found == run.figures.end() ? std::nullopt : std::optional(found->second);
}

Line line_of(const Runs& runs, const std::string& name, const std::string& shown)
{
    Line line{shown, {}, {}};
    for (const RunResults& run : runs)
        line.values.push_back(figure(run, name));
    return line;
}

bool differs(const Line& line)
{
    return std::any_of(line.values.begin(), line.values.end(), [&](const auto& value) {
        return value.value_or(0.0) != line.values[0].value_or(0.0);
    });
}

bool is_there(const Line& line)
{
    return std::any_of(line.values.begin(), line.values.end(),
                       [](const auto& value) { return value.has_value(); });
}

/// Returns a map from metrics of all runs to the names that `part` gives them. Metrics without a
/// name are left out.
std::map<std::string, std::string>
parts_of(const Runs& runs, const std::function<std::string(const std::string&)>& part)
{
    std::map<std::string, std::string> parts;
    for (const RunResults& run : runs)
        for (const auto& [name, value] : run.figures)
            if (std::string shown = part(name); !shown.empty())
                parts.emplace(name, std::move(shown));
    return parts;
}

/// Returns the largest difference between the first run's value and another run's.
double difference(const Line& line)
{
    double most = 0.0;
    for (const auto& value : line.values)
        most = std::max(most, std::abs(value.value_or(0.0) - line.values[0].value_or(0.0)));
    return most;
}

double largest(const Line& line)
{
    double most = 0.0;
    for (const auto& share : line.shares)
        most = std::max(most, std::abs(share.value_or(0.0)));
    return most;
}

/// Returns the share of `part` in the difference between `run` and the first run; nothing if the
/// two runs do not differ, or if the total of a run is missing.
std::optional<double> share_of(const Line& part, const Line& whole, std::size_t run)
{
    if (!whole.values[0] || !whole.values[run] || *whole.values[0] == *whole.values[run])
        return std::nullopt;
    return (part.values[run].value_or(0.0) - part.values[0].value_or(0.0)) /
           (*whole.values[run] - *whole.values[0]);
}

/// Keeps the parts that differ, sets the share of each in the difference of the totals, and sorts
/// them by this share.
void rank(Division& division)
{
    std::erase_if(division.parts, [](const Line& part) { return !differs(part); });
    for (Line& part : division.parts)
        for (std::size_t run = 0; run < part.values.size(); ++run)
            part.shares.push_back(share_of(part, division.whole, run));
    std::stable_sort(division.parts.begin(), division.parts.end(),
                     [](const Line& a, const Line& b) { return largest(a) > largest(b); });
}

Division divide(const Runs& runs, Division division,
                const std::function<std::string(const std::string&)>& part)
{
    for (const auto& [name, shown] : parts_of(runs, part))
        division.parts.push_back(line_of(runs, name, shown));
    rank(division);
    return division;
}

/// Returns the time by phase. `other` is the time outside prefill and decoding.
Division time_by_phase(const Runs& runs)
{
    Division division{"time by phase", "s", true, line_of(runs, "sim.seconds", "all"), {}};
    Line other{"other", {}, {}};
    for (const RunResults& run : runs)
        other.values.push_back(figure(run, "sim.seconds").value_or(0.0) -
                               figure(run, "prefill.seconds").value_or(0.0) -
                               figure(run, "decode.seconds").value_or(0.0));
    division.parts = {line_of(runs, "prefill.seconds", "prefill"),
                      line_of(runs, "decode.seconds", "decode"), other};
    rank(division);
    return division;
}

/// Returns the part of `name` between `before` at its beginning and `after` at its end; empty if
/// `name` lacks one of them.
std::string between(const std::string& name, const std::string& before, const std::string& after)
{
    if (!name.starts_with(before) || !name.ends_with(after) ||
        name.size() <= before.size() + after.size())
        return {};
    return name.substr(before.size(), name.size() - before.size() - after.size());
}

/// For `bounds.decode.rsa.load_seconds`, returns "rsa: load". Idle time does not count, nor does a
/// wait for another block, whose own cause counts.
std::string own_cause(const std::string& name, const std::string& phase)
{
    const std::string both = between(name, "bounds." + phase + ".", "_seconds");
    const std::size_t dot = both.find('.');
    if (dot == std::string::npos)
        return {};
    const std::string cause = both.substr(dot + 1);
    if (cause == "idle" || (cause.starts_with("wait_") && cause != "wait_core"))
        return {};
    return both.substr(0, dot) + ": " + cause;
}

/// For `energy.dram.read_j`, returns "dram: read".
std::string energy_event(const std::string& name)
{
    const std::string both = between(name, "energy.", "_j");
    const std::size_t dot = both.find('.');
    if (dot == std::string::npos || both.find('.', dot + 1) != std::string::npos ||
        both.starts_with("phase.") || both.starts_with("operation."))
        return {};
    return both.substr(0, dot) + ": " + both.substr(dot + 1);
}

/// For `energy.phase.decode.dram_j`, returns "decode: dram".
std::string energy_phase(const std::string& name)
{
    const std::string both = between(name, "energy.phase.", "_j");
    const std::size_t dot = both.find('.');
    return dot == std::string::npos ? "" : both.substr(0, dot) + ": " + both.substr(dot + 1);
}

std::vector<Division> divisions_of(const Runs& runs)
{
    std::vector<Division> all{time_by_phase(runs)};
    for (const levee_phase number : table_phases) {
        const std::string name = phase_names[number];
        Division division{"time of " + name + " by block and cause",
                          "s",
                          false,
                          line_of(runs, name + ".seconds", name),
                          {}};
        if (is_there(division.whole))
            all.push_back(divide(runs, std::move(division), [&](const std::string& figure) {
                return own_cause(figure, name);
            }));
    }
    // The phase with the largest difference comes first.
    std::stable_sort(all.begin() + 1, all.end(), [](const Division& a, const Division& b) {
        return difference(a.whole) > difference(b.whole);
    });
    const Line energy = line_of(runs, "energy.total_j", "all");
    if (is_there(energy)) {
        all.push_back(divide(runs, {"energy by component", "J", true, energy, {}}, energy_event));
        all.push_back(divide(runs, {"energy by phase", "J", true, energy, {}}, energy_phase));
    }
    std::erase_if(all, [](const Division& division) { return division.parts.empty(); });
    return all;
}

std::vector<Line> headline_of(const Runs& runs)
{
    std::vector<Line> lines;
    for (const char* name : {"sim.seconds", "prefill.seconds", "decode.seconds",
                             "decode.tokens_per_s", "energy.total_j", "energy.decode_per_token_j",
                             "energy.average_power_w", "score.perplexity", "recall.share"}) {
        // With uncertain prices, a figure also has its lowest and highest possible value.
        for (const char* bound : {"", ".low", ".high"}) {
            const std::string figure = std::string(name) + bound;
            Line line = line_of(runs, figure, figure);
            if (is_there(line))
                lines.push_back(std::move(line));
        }
    }
    return lines;
}

double relative(const Line& line)
{
    double most = 0.0;
    const double first = line.values[0].value_or(0.0);
    for (const auto& value : line.values) {
        const double larger = std::max(std::abs(first), std::abs(value.value_or(0.0)));
        if (larger > 0.0)
            most = std::max(most, std::abs(value.value_or(0.0) - first) / larger);
    }
    return most;
}

std::vector<Line> figures_of(const Runs& runs)
{
    std::vector<Line> lines;
    for (const auto& [name, shown] : parts_of(runs, [](const std::string& all) { return all; }))
        if (Line line = line_of(runs, name, shown); differs(line))
            lines.push_back(std::move(line));
    std::stable_sort(lines.begin(), lines.end(),
                     [](const Line& a, const Line& b) { return relative(a) > relative(b); });
    return lines;
}

std::vector<TextLine> text_lines(const Runs& runs,
                                 std::map<std::string, std::string> RunResults::*texts, bool equal)
{
    std::set<std::string> names;
    for (const RunResults& run : runs)
        for (const auto& [name, value] : run.*texts)
            names.insert(name);
    std::vector<TextLine> lines;
    for (const std::string& name : names) {
        TextLine line{name, {}};
        for (const RunResults& run : runs) {
            const auto found = (run.*texts).find(name);
            line.values.push_back(found == (run.*texts).end() ? "" : found->second);
        }
        const bool same = std::adjacent_find(line.values.begin(), line.values.end(),
                                             std::not_equal_to<>()) == line.values.end();
        if (equal || !same)
            lines.push_back(std::move(line));
    }
    return lines;
}

} // namespace

Comparison compare(Runs runs)
{
    Comparison comparison;
    comparison.unlike = unlike(runs);
    comparison.headline = headline_of(runs);
    comparison.texts = text_lines(runs, &RunResults::texts, true);
    comparison.divisions = divisions_of(runs);
    comparison.scenario = text_lines(runs, &RunResults::scenario, false);
    comparison.figures = figures_of(runs);
    comparison.runs = std::move(runs);
    return comparison;
}

} // namespace levee::compare
