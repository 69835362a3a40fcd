// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/results.hpp"

#include "platform/observe/report/json_text.hpp"
#include "platform/observe/report/versions.hpp"

#include <type_traits>

namespace levee {

void Results::add(const std::string& component, const Stats& stats)
{
    for (const auto& [figure, value] : stats.figures())
        metrics[component + "." + figure] =
            std::visit([](auto number) { return Metric(number); }, value);
}

double Results::number(const std::string& metric, double otherwise) const
{
    const auto found = metrics.find(metric);
    if (found == metrics.end())
        return otherwise;
    return std::visit(
        [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
                return otherwise;
            else
                return static_cast<double>(value);
        },
        found->second);
}

std::string Results::json() const
{
    nlohmann::ordered_json root;
    root["name"] = name;
    root["seed"] = seed;
    root["exit_code"] = exit_code;
    if (!error.empty())
        root["error"] = error;
    if (!cut.empty())
        root["cut"] = cut;
    nlohmann::ordered_json& figures = root["metrics"] = nlohmann::ordered_json::object();
    for (const auto& [key, value] : metrics)
        std::visit([&written = figures[key]](const auto& figure) { written = figure; }, value);
    root["warnings"] = warnings;
    root["text"] = text;
    root["tokens"] = tokens;
    root["scenario"] = scenario;
    root["versions"] = versions();
    return json_text(root);
}

} // namespace levee
