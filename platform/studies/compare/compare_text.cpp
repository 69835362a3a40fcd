// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/compare_text.hpp"

#include "platform/studies/sweep/measured.hpp"
#include "platform/studies/sweep/table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace levee::compare {

namespace {

using sweep::csv_field;
using sweep::exact;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_parts = 8;     // maximum number of parts of a division in the text
constexpr double least_share = 0.005;     // smaller parts are omitted from the text
constexpr std::size_t longest_value = 40; // characters of a scenario's value in the text
constexpr int format = 1;

using Cells = std::vector<std::vector<std::string>>;

/// Returns the lines with aligned columns: the first to the left, the others to the right.
std::string aligned(const Cells& lines)
{
    std::vector<std::size_t> widths;
    for (const auto& line : lines) {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (const auto& line : lines) {
        text += "  ";
        for (std::size_t i = 0; i < line.size(); ++i) {
            const std::string gap(widths[i] - line[i].size(), ' ');
            text += i == 0 ? line[i] + gap : "  " + gap + line[i];
        }
        text.erase(text.find_last_not_of(' ') + 1);
        text += "\n";
    }
    return text;
}

std::string formatted(const char* form, double value)
{
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), form, value);
    return text.data();
}

std::string shown(const std::optional<double>& value)
{
    return value ? formatted("%.6g", *value) : "";
}

/// Returns the change from the first value, such as "+12.3 %"; empty if there is no ratio.
std::string change(const Line& line, std::size_t run)
{
    if (run == 0 || !line.values[0] || !line.values[run] || *line.values[0] == 0.0)
        return "";
    return formatted("%+.1f %%", 100.0 * (*line.values[run] / *line.values[0] - 1.0));
}

std::vector<std::string> head(const Comparison& comparison, const std::string& first,
                              const std::string& beside)
{
    std::vector<std::string> cells{first};
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        cells.push_back(comparison.runs[run].name);
        if (run != 0)
            cells.push_back(beside);
    }
    return cells;
}

std::string headline_text(const Comparison& comparison)
{
    Cells lines{head(comparison, "", "")};
    for (const Line& line : comparison.headline) {
        std::vector<std::string>& cells = lines.emplace_back(std::vector{line.name});
        for (std::size_t run = 0; run < line.values.size(); ++run) {
            cells.push_back(shown(line.values[run]));
            if (run != 0)
                cells.push_back(change(line, run));
        }
    }
    for (const TextLine& line : comparison.texts) {
        std::vector<std::string>& cells = lines.emplace_back(std::vector{line.name});
        for (std::size_t run = 0; run < line.values.size(); ++run) {
            cells.push_back(line.values[run]);
            if (run != 0)
                cells.emplace_back();
        }
    }
    return aligned(lines);
}

std::string division_text(const Comparison& comparison, const Division& division)
{
    Cells lines{head(comparison, division.name + " [" + division.unit + "]", "explains")};
    std::vector<std::string>& whole = lines.emplace_back(std::vector{division.whole.name});
    for (std::size_t run = 0; run < division.whole.values.size(); ++run) {
        whole.push_back(shown(division.whole.values[run]));
        if (run != 0)
            whole.push_back(change(division.whole, run));
    }
    std::size_t left = 0;
    for (const Line& part : division.parts) {
        const bool small =
            std::all_of(part.shares.begin() + 1, part.shares.end(),
                        [](const auto& share) { return share && std::abs(*share) < least_share; });
        if (small || lines.size() >= 2 + most_parts) {
            ++left;
            continue;
        }
        std::vector<std::string>& cells = lines.emplace_back(std::vector{"  " + part.name});
        for (std::size_t run = 0; run < part.values.size(); ++run) {
            cells.push_back(shown(part.values[run]));
            if (run != 0)
                cells.push_back(part.shares[run] ? formatted("%.1f %%", 100.0 * *part.shares[run])
                                                 : "");
        }
    }
    std::string text = aligned(lines);
    if (!division.adds_up)
        text += "  (blocks work at the same time, so their shares do not add up to 100 %)\n";
    if (left != 0)
        text += "  (lines with smaller shares are not shown: " + std::to_string(left) + ")\n";
    return text;
}

std::string scenario_text(const Comparison& comparison)
{
    if (comparison.scenario.empty())
        return "The scenarios are the same.\n";
    std::vector<std::string> names{"scenario"};
    for (const RunResults& run : comparison.runs)
        names.push_back(run.name);
    Cells lines{names};
    for (const TextLine& line : comparison.scenario) {
        std::vector<std::string>& cells = lines.emplace_back(std::vector{line.name});
        for (const std::string& value : line.values)
            cells.push_back(
                value.size() <= longest_value ? value : value.substr(0, longest_value - 3) + "...");
    }
    return aligned(lines);
}

std::string warnings_text(const Comparison& comparison)
{
    std::string text;
    for (const std::string& reason : comparison.unlike)
        text += "  not directly comparable: " + reason + "\n";
    for (const RunResults& run : comparison.runs) {
        if (!run.error.empty())
            text += "  " + run.name + " FAILED: " + run.error + "\n";
        for (const std::string& warning : run.warnings)
            text += "  " + run.name + ": " + warning + "\n";
    }
    return text.empty() ? "" : "warnings\n" + text + "\n";
}

std::string csv_line(const std::string& table, const Line& line, std::size_t runs)
{
    std::string text = table + "," + csv_field(line.name);
    for (const auto& value : line.values)
        text += "," + (value ? exact(*value) : "");
    for (std::size_t run = 1; run < runs; ++run)
        text +=
            "," + (run < line.shares.size() && line.shares[run] ? exact(*line.shares[run]) : "");
    return text + "\n";
}

std::string csv_line(const std::string& table, const TextLine& line, std::size_t runs)
{
    std::string text = table + "," + csv_field(line.name);
    for (const std::string& value : line.values)
        text += "," + csv_field(value);
    return text + std::string(runs - 1, ',') + "\n";
}

Json numbers(const std::vector<std::optional<double>>& values)
{
    Json list = Json::array();
    for (const auto& value : values)
        list.push_back(value ? Json(*value) : Json(nullptr));
    return list;
}

Json data_of(const std::vector<Line>& lines)
{
    Json list = Json::array();
    for (const Line& line : lines) {
        Json& data = list.emplace_back(Json{{"name", line.name}, {"values", numbers(line.values)}});
        if (!line.shares.empty())
            data["shares"] = numbers(line.shares);
    }
    return list;
}

Json data_of(const std::vector<TextLine>& lines)
{
    Json list = Json::array();
    for (const TextLine& line : lines)
        list.push_back({{"name", line.name}, {"values", line.values}});
    return list;
}

} // namespace

std::string comparison_text(const Comparison& comparison)
{
    std::string text = warnings_text(comparison) + headline_text(comparison);
    for (const Division& division : comparison.divisions)
        text += "\n" + division_text(comparison, division);
    return text + "\n" + scenario_text(comparison);
}

std::string comparison_csv(const Comparison& comparison)
{
    const std::size_t runs = comparison.runs.size();
    std::string text = "table,name";
    for (const RunResults& run : comparison.runs)
        text += "," + csv_field(run.name);
    for (std::size_t run = 1; run < runs; ++run)
        text += "," + csv_field("share of " + comparison.runs[run].name);
    text += "\n";
    for (const std::string& reason : comparison.unlike)
        text += csv_line("unlike", TextLine{reason, std::vector<std::string>(runs)}, runs);
    for (const Line& line : comparison.headline)
        text += csv_line("headline", line, runs);
    for (const TextLine& line : comparison.texts)
        text += csv_line("text", line, runs);
    for (const Division& division : comparison.divisions) {
        text += csv_line(division.name, division.whole, runs);
        for (const Line& part : division.parts)
            text += csv_line(division.name, part, runs);
    }
    for (const TextLine& line : comparison.scenario)
        text += csv_line("scenario", line, runs);
    for (const Line& line : comparison.figures)
        text += csv_line("metric", line, runs);
    return text;
}

Json comparison_data(const Comparison& comparison)
{
    Json data{{"format", format}, {"runs", Json::array()}};
    for (const RunResults& run : comparison.runs) {
        Json& one = data["runs"].emplace_back(Json{{"name", run.name}, {"warnings", run.warnings}});
        if (!run.error.empty())
            one["error"] = run.error;
    }
    data["unlike"] = comparison.unlike;
    data["headline"] = data_of(comparison.headline);
    data["texts"] = data_of(comparison.texts);
    data["divisions"] = Json::array();
    for (const Division& division : comparison.divisions)
        data["divisions"].push_back({{"name", division.name},
                                     {"unit", division.unit},
                                     {"adds_up", division.adds_up},
                                     {"whole", numbers(division.whole.values)},
                                     {"parts", data_of(division.parts)}});
    data["scenario"] = data_of(comparison.scenario);
    data["metrics"] = data_of(comparison.figures);
    return data;
}

} // namespace levee::compare
