// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/table.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace levee::sweep {

namespace {

/// The shortest text that reads back as the same number.
std::string exact(double value)
{
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string readable(double value, const std::optional<unsigned>& digits)
{
    std::array<char, 400> text{};
    char* const end = text.data() + text.size();
    constexpr int significant = 6;
    const auto result =
        digits ? std::to_chars(text.data(), end, value, std::chars_format::fixed,
                               static_cast<int>(*digits))
               : std::to_chars(text.data(), end, value, std::chars_format::general, significant);
    return {text.data(), result.ptr};
}

std::string csv_field(const std::string& text)
{
    if (text.find_first_of(",\"\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

} // namespace

std::string table_csv(const std::vector<Column>& columns, const std::vector<Row>& rows)
{
    std::string text = "point,seed";
    for (const Column& column : columns)
        text += "," + csv_field(column.name);
    text += "\n";
    for (const Row& row : rows) {
        text += csv_field(row.point) + "," + row.seed;
        for (const double value : row.values)
            text += "," + exact(value);
        text += "\n";
    }
    return text;
}

std::vector<Row> means(const std::vector<Row>& rows)
{
    std::vector<Row> result;
    std::vector<double> counts;
    for (const Row& row : rows) {
        const auto found = std::find_if(result.begin(), result.end(),
                                        [&](const Row& other) { return other.point == row.point; });
        if (found == result.end()) {
            result.push_back({row.point, "", row.values});
            counts.push_back(1.0);
            continue;
        }
        counts[static_cast<std::size_t>(found - result.begin())] += 1.0;
        for (std::size_t i = 0; i < row.values.size(); ++i)
            found->values[i] += row.values[i];
    }
    for (std::size_t i = 0; i < result.size(); ++i)
        for (double& value : result[i].values)
            value /= counts[i];
    return result;
}

std::string table_text(const std::vector<Column>& columns, const std::vector<Row>& rows)
{
    std::vector<std::vector<std::string>> cells{{"point"}};
    for (const Column& column : columns)
        cells[0].push_back(column.name);
    for (const Row& row : rows) {
        cells.push_back({row.point});
        for (std::size_t i = 0; i < row.values.size(); ++i)
            cells.back().push_back(readable(row.values[i], columns[i].digits));
    }
    std::vector<std::size_t> widths(cells[0].size());
    for (const auto& line : cells)
        for (std::size_t i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths[i], line[i].size());
    std::string text;
    for (const auto& line : cells) {
        text += line[0] + std::string(widths[0] - line[0].size(), ' ');
        for (std::size_t i = 1; i < line.size(); ++i)
            text += "  " + std::string(widths[i] - line[i].size(), ' ') + line[i];
        text += "\n";
    }
    return text;
}

} // namespace levee::sweep
