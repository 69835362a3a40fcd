// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/report.hpp"

#include "platform/studies/reproduce/names.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace levee::reproduce {

namespace {

using Cells = std::vector<std::string>;

std::string exact(const std::optional<double>& value)
{
    if (!value)
        return "";
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), *value).ptr};
}

std::string readable(const std::optional<double>& value)
{
    if (!value)
        return "";
    constexpr int significant = 4;
    constexpr double plain = 1e15;
    std::array<char, 400> text{};
    char* const end = text.data() + text.size();
    const bool large = *value >= 1000.0 && *value < plain;
    const auto result =
        large ? std::to_chars(text.data(), end, *value, std::chars_format::fixed, 0)
              : std::to_chars(text.data(), end, *value, std::chars_format::general, significant);
    return {text.data(), result.ptr};
}

std::string csv_line(const Cells& fields)
{
    std::string text;
    for (const std::string& field : fields) {
        text += text.empty() && &field == fields.data() ? "" : ",";
        if (field.find_first_of(",\"\n") == std::string::npos) {
            text += field;
            continue;
        }
        text += '"';
        for (const char c : field)
            text += c == '"' ? std::string("\"\"") : std::string(1, c);
        text += '"';
    }
    return text + "\n";
}

std::string markdown_line(const Cells& cells)
{
    std::string text = "|";
    for (const std::string& cell : cells) {
        text += " ";
        for (const char c : cell)
            text += c == '|' ? std::string("\\|") : std::string(1, c);
        text += " |";
    }
    return text + "\n";
}

std::string title(const Comparison& line)
{
    return line.quantity + (line.configuration.empty() ? "" : ": " + line.configuration);
}

/// The heading of what is simulated as it is, and of the variants.
Cells with_variants(Cells head, const Plan& plan, bool spaced)
{
    for (std::string name : names_of(plan.variants)) {
        if (spaced)
            std::replace(name.begin(), name.end(), '_', ' ');
        head.push_back(std::move(name));
    }
    return head;
}

std::string percent(const std::optional<double>& part)
{
    std::array<char, 32> text{};
    return part ? std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(),
                                                         100 * *part, std::chars_format::fixed, 0)
                                               .ptr) +
                      " %"
                : "";
}

std::string relative_text(const Comparison& line)
{
    if (!line.published_relative || !line.simulated_relative)
        return "";
    return line.row->relative_to + " x " + readable(line.simulated_relative) + ", published x " +
           readable(line.published_relative);
}

} // namespace

std::string verdict(const Comparison& line)
{
    if (!line.holds)
        return "";
    return *line.holds ? "holds" : "FAILS";
}

std::string full_note(const Comparison& line)
{
    const std::string& missing = line.simulated.missing;
    return line.row->note + (missing.empty() ? "" : " (Not simulated: " + missing + ".)");
}

std::string follows_text(const Comparison& line)
{
    if (line.row->follows == Class::Contradicted)
        return "contradicted";
    if (line.row->follows == Class::Missing)
        return "missing";
    if (!line.simulated.value)
        return "";
    if (!line.row->under.empty())
        return "reading: " + line.row->under;
    if (line.nearer.empty())
        return line.variants.empty() ? "not compared" : "stated";
    constexpr std::size_t most = 3;
    std::string text = "reading: ";
    for (std::size_t i = 0; i < std::min(most, line.nearer.size()); ++i)
        text += (i == 0 ? "" : ", ") + line.nearer[i];
    if (line.nearer.size() > most)
        text += " and " + std::to_string(line.nearer.size() - most) + " more";
    return text;
}

std::string comparison_csv(const std::vector<Comparison>& lines)
{
    std::string text =
        csv_line({"id", "section", "quantity", "configuration", "published", "simulated", "ratio",
                  "unit", "kind", "note", "relative_to", "published_relative", "simulated_relative",
                  "expected", "verdict", "follows"});
    for (const Comparison& line : lines)
        text += csv_line(
            {line.id, line.section, line.quantity, line.configuration, line.published_text,
             exact(line.simulated.value), exact(line.ratio), line.unit, name_of(line.row->kind),
             full_note(line), line.row->relative_to, exact(line.published_relative),
             exact(line.simulated_relative), line.expected, verdict(line), follows_text(line)});
    return text;
}

std::string variants_csv(const Plan& plan, const std::vector<Comparison>& lines)
{
    const Cells head = with_variants({"id", "published", "default"}, plan, false);
    std::string text = csv_line(head);
    for (const Comparison& line : lines) {
        Cells cells{line.id, line.published_text, exact(line.simulated.value)};
        for (const Figure& figure : line.variants)
            cells.push_back(exact(figure.value));
        cells.resize(head.size());
        text += csv_line(cells);
    }
    return text;
}

std::string table_markdown(const Plan& plan, const std::vector<Comparison>& lines)
{
    Cells head = with_variants(
        {"id", "quantity", "published", "simulated", "ratio", "unit", "kind", "follows"}, plan,
        true);
    head.insert(head.end(), {"in its series", "note"});
    std::string text = markdown_line(head) + markdown_line(Cells(head.size(), "---"));
    for (const Comparison& line : lines) {
        Cells cells{line.id,
                    title(line),
                    line.published_text,
                    readable(line.simulated.value),
                    readable(line.ratio),
                    line.unit,
                    name_of(line.row->kind),
                    follows_text(line)};
        for (std::size_t i = 0; i < plan.variants.size(); ++i)
            cells.push_back(i < line.variants.size() ? readable(line.variants[i].value) : "");
        cells.insert(cells.end(), {relative_text(line), full_note(line)});
        text += markdown_line(cells);
    }
    return text;
}

std::string table_text(const std::vector<Comparison>& lines)
{
    constexpr std::size_t longest = 64;
    std::vector<Cells> table{
        {"id", "published", "simulated", "ratio", "unit", "kind", "expected", "quantity"}};
    for (const Comparison& line : lines) {
        std::string what = title(line);
        if (what.size() > longest)
            what = what.substr(0, longest - 3) + "...";
        table.push_back({line.id, line.published_text, readable(line.simulated.value),
                         readable(line.ratio), line.unit, name_of(line.row->kind), verdict(line),
                         what});
    }
    std::vector<std::size_t> widths(table[0].size());
    for (const Cells& cells : table)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], cells[i].size());
    std::string text;
    for (const Cells& cells : table) {
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            const std::string padding(widths[i] - cells[i].size(), ' ');
            const bool number = i >= 1 && i <= 3;
            text += (number ? padding + cells[i] : cells[i] + padding) + "  ";
        }
        text += cells.back() + "\n";
    }
    return text;
}

std::string errors_csv(const Plan& plan, const std::vector<GroupError>& errors)
{
    const Cells head = with_variants({"group", "numbers", "default"}, plan, false);
    std::string text = csv_line(head);
    for (const GroupError& group : errors) {
        Cells cells{group.name, std::to_string(group.numbers)};
        for (const std::optional<double>& error : group.error)
            cells.push_back(exact(error));
        cells.resize(head.size());
        text += csv_line(cells);
    }
    return text;
}

std::string errors_markdown(const Plan& plan, const std::vector<GroupError>& errors)
{
    const Cells head = with_variants({"", "numbers", "default"}, plan, true);
    std::string text = markdown_line(head) + markdown_line(Cells(head.size(), "---"));
    for (const GroupError& group : errors) {
        std::string name = group.name;
        std::replace(name.begin(), name.end(), '_', ' ');
        Cells cells{name, std::to_string(group.numbers)};
        for (const std::optional<double>& error : group.error)
            cells.push_back(percent(error));
        cells.resize(head.size());
        text += markdown_line(cells);
    }
    return text;
}

std::string plot_csv(const Plot& plot, const Evaluator& evaluator)
{
    Cells head = plot.labels;
    head.insert(head.end(), plot.values.begin(), plot.values.end());
    std::string text = csv_line(head);
    for (const Plot::Line& line : plot.lines) {
        Cells cells = line.labels;
        for (const sweep::Expression& sum : line.values)
            cells.push_back(exact(evaluator.value(sum).value));
        text += csv_line(cells);
    }
    return text;
}

} // namespace levee::reproduce
