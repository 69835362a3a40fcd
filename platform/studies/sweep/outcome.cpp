// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/outcome.hpp"

#include "core/config/bounded_json.hpp"

#include <algorithm>
#include <cstring>

namespace levee::sweep {

namespace {

constexpr std::size_t most_said = 1000; // maximum number of bytes of an error message

std::string last_line(std::string text)
{
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::string in_one_line(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
    return config::shortened(text, most_said);
}

/// Returns the reason why a process failed that did not report an error itself.
std::string why(const Ended& ended)
{
    const std::string said = last_line(ended.log);
    const std::string end =
        ended.code >= signal_base
            ? "the run was ended by a signal: " + std::string(::strsignal(ended.code - signal_base))
            : "the run ended with exit code " + std::to_string(ended.code);
    return end + (said.empty() ? "" : ": " + said);
}

} // namespace

nlohmann::json record_of(const std::string& key, const std::string& point, const Ended& ended)
{
    nlohmann::json record = config::bounded_json(ended.output).value_or(nlohmann::json());
    if (!record.is_object())
        record = nlohmann::json::object();
    record["key"] = key;
    record["point"] = point;
    const bool whole = record.contains("metrics") && record.contains("error");
    if (whole && ended.code == 0) {
        record.erase("error");
        return record;
    }
    std::string error = record.value("error", "");
    if (error.empty())
        error = why(ended);
    return {{"key", key}, {"point", point}, {"error", in_one_line(error)}};
}

bool is_record(const nlohmann::json& record)
{
    const auto has = [&](const char* key, nlohmann::json::value_t type) {
        const auto found = record.find(key);
        return found != record.end() && found->type() == type;
    };
    using Type = nlohmann::json::value_t;
    if (!record.is_object() || !has("key", Type::string))
        return false;
    const auto warnings = record.find("warnings");
    const bool warns = warnings == record.end() ||
                       (warnings->is_array() && std::ranges::all_of(*warnings, [](const auto& one) {
                            return one.is_string();
                        }));
    return warns &&
           (record.contains("error") ? has("error", Type::string) : has("metrics", Type::object));
}

Outcome outcome_of(const nlohmann::json& record, const std::vector<Column>& columns)
{
    Outcome outcome;
    outcome.error = record.value("error", "");
    if (!outcome.error.empty())
        return outcome;
    nlohmann::json metrics = record.at("metrics");
    add_texts(metrics);
    for (const Column& column : columns) {
        outcome.cells.push_back(cell_of(metrics, column));
        outcome.intervals.push_back(interval_of(metrics, column));
    }
    outcome.warnings = record.value("warnings", std::vector<std::string>{});
    return outcome;
}

} // namespace levee::sweep
