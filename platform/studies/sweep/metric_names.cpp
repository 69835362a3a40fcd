// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/metric_names.hpp"

#include "core/component/registry.hpp"
#include "core/config/regular_file.hpp"
#include "platform/studies/sweep/documented_metrics.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace levee::sweep {

namespace {

bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace

MetricNames::MetricNames(const Plan& plan) : components_(plan.components)
{
    components_.insert(components_.end(), {"core", "bus", "commands", "chip_other"});
    for (const std::string_view documented : documented_metrics)
        patterns_.emplace_back(documented);
    for (const std::string& component : plan.plugged)
        patterns_.push_back(component + ".*");
    patterns_.insert(patterns_.end(),
                     {"bound_by", "bounds.<phase>.bound_by"}); // names from add_texts()
    for (const std::string& file : plan.programs) {
        std::ifstream stream = config::regular_stream(file);
        programs_.emplace_back(std::istreambuf_iterator<char>(stream),
                               std::istreambuf_iterator<char>());
    }
}

const std::vector<std::string>* MetricNames::words_for(std::string_view placeholder) const
{
    if (placeholder == "phase")
        return &phases_;
    if (placeholder == "group")
        return &groups_;
    const auto is_it = [&](const ComponentType& type) { return type.name() == placeholder; };
    if (placeholder == "memory" || placeholder == "block" || placeholder == "component" ||
        std::ranges::any_of(component_types(), is_it))
        return &components_;
    return nullptr;
}

/// Returns whether a name matches a pattern. A placeholder `<...>` matches one of its known words
/// or, if none are known, any word. `*` at the end matches any text.
bool MetricNames::matches(std::string_view pattern, std::string_view name) const
{
    while (!pattern.empty() && pattern[0] != '<') {
        if (pattern == "*")
            return !name.empty();
        if (name.empty() || name[0] != pattern[0])
            return false;
        pattern.remove_prefix(1);
        name.remove_prefix(1);
    }
    if (pattern.empty())
        return name.empty();
    const std::size_t close = pattern.find('>');
    const std::string_view placeholder = pattern.substr(1, close - 1);
    const std::string_view rest = pattern.substr(close + 1);
    if (const std::vector<std::string>* words = words_for(placeholder))
        return std::any_of(words->begin(), words->end(), [&](const std::string& word) {
            return name.starts_with(word) && matches(rest, name.substr(word.size()));
        });
    const bool any = placeholder == "figure"; // a metric's name may have dots
    for (std::size_t i = 0; i < name.size() && (in_word(name[i]) || (any && name[i] == '.')); ++i)
        if (matches(rest, name.substr(i + 1)))
            return true;
    return false;
}

bool MetricNames::in_programs(const std::string& name) const
{
    const std::string text(name.c_str(), name.size() + 1); // with the terminating zero, so that
                                                           // only whole texts match
    return std::any_of(programs_.begin(), programs_.end(), [&](const std::string& program) {
        return program.find(text) != std::string::npos;
    });
}

bool MetricNames::known(std::string_view name) const
{
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const std::string& pattern) { return matches(pattern, name); }) ||
           (name.find('.') != std::string_view::npos && in_programs(std::string(name)));
}

/// Adds all names that match a pattern, if the words for its placeholders are known.
void MetricNames::expand(const std::string& pattern, std::vector<std::string>& names) const
{
    const std::size_t open = pattern.find('<');
    if (open == std::string::npos) {
        names.push_back(pattern);
        return;
    }
    const std::size_t close = pattern.find('>', open);
    const auto* words = words_for(std::string_view(pattern).substr(open + 1, close - open - 1));
    if (words == nullptr)
        return;
    for (const std::string& word : *words)
        expand(pattern.substr(0, open) + word + pattern.substr(close + 1), names);
}

std::string MetricNames::near(const std::string& name) const
{
    std::vector<std::string> names;
    for (const std::string& pattern : patterns_)
        expand(pattern, names);
    const std::string nearest = config::nearest(name, names);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

void check_metrics(const Study& study, const MetricNames& names)
{
    const auto check = [&](const std::string& metric, const Column& column) {
        if (!names.known(metric))
            throw config::Error(column.place, "no run has a figure '" + metric + "'" +
                                                  names.near(metric) +
                                                  " (docs/results.md lists them)");
    };
    for (const Column& column : study.columns) {
        check(column.metric, column);
        if (column.over)
            check(*column.over, column);
    }
}

} // namespace levee::sweep
