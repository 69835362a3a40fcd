// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/figures.hpp"

#include "platform/observe/phases.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace levee::sweep {

namespace {

/// Returns the resource with the largest metric `roofline.<phase>.<resource>.binds_seconds`; among
/// equals, the first by name. Empty if there is none.
std::string bound_by(const nlohmann::json& metrics, const std::string& phase)
{
    const std::string before = "roofline." + phase + ".", after = ".binds_seconds";
    std::string resource;
    double most = 0.0;
    for (const auto& [name, value] : metrics.items()) {
        if (!name.starts_with(before) || !name.ends_with(after) || !value.is_number() ||
            value.get<double>() <= most)
            continue;
        most = value.get<double>();
        resource = name.substr(before.size(), name.size() - before.size() - after.size());
    }
    return resource;
}

std::optional<double> number(const nlohmann::json& metrics, const std::string& name)
{
    const auto found = metrics.find(name);
    if (found == metrics.end() || !found->is_number())
        return std::nullopt;
    return found->get<double>();
}

/// Returns the range of a figure, which is a single value unless prices are uncertain.
std::optional<Interval> bounds_of(const nlohmann::json& metrics, const std::string& name)
{
    const std::optional<double> value = number(metrics, name);
    if (!value)
        return std::nullopt;
    return Interval{number(metrics, name + ".low").value_or(*value),
                    number(metrics, name + ".high").value_or(*value)};
}

bool is_open(const nlohmann::json& metrics, const std::string& name)
{
    return metrics.contains(name + ".low") || metrics.contains(name + ".high");
}

} // namespace

void add_texts(nlohmann::json& metrics)
{
    for (const char* phase : phase_names) {
        const std::string resource = bound_by(metrics, phase);
        if (resource.empty())
            continue;
        metrics["bounds." + std::string(phase) + ".bound_by"] = resource;
        metrics["bound_by"] = resource;
    }
}

Cell cell_of(const nlohmann::json& metrics, const Column& column)
{
    const auto found = metrics.find(column.metric);
    if (found != metrics.end() && found->is_string())
        return found->get<std::string>();
    const std::optional<double> value = number(metrics, column.metric);
    const std::optional<double> divisor =
        column.over ? number(metrics, *column.over) : std::optional(1.0);
    if (!value || !divisor)
        return std::monostate{};
    const double figure = *value * column.scale / *divisor;
    return std::isfinite(figure) ? Cell(figure) : Cell(std::monostate{});
}

std::optional<Interval> interval_of(const nlohmann::json& metrics, const Column& column)
{
    if (!is_open(metrics, column.metric) && !(column.over && is_open(metrics, *column.over)))
        return std::nullopt;
    const std::optional<Interval> value = bounds_of(metrics, column.metric);
    const std::optional<Interval> divisor =
        column.over ? bounds_of(metrics, *column.over) : Interval{1.0, 1.0};
    if (!value || !divisor)
        return std::nullopt;
    Interval interval{std::numeric_limits<double>::infinity(),
                      -std::numeric_limits<double>::infinity()};
    for (const double above : {value->low, value->high})
        for (const double below : {divisor->low, divisor->high}) {
            interval.low = std::min(interval.low, above * column.scale / below);
            interval.high = std::max(interval.high, above * column.scale / below);
        }
    const bool finite = std::isfinite(interval.low) && std::isfinite(interval.high);
    return finite ? std::optional(interval) : std::nullopt;
}

} // namespace levee::sweep
