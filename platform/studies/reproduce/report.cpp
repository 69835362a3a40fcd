// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/report.hpp"

#include "platform/studies/reproduce/names.hpp"
#include "platform/studies/reproduce/reproduction_keys.hpp"

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

/// Adds the headings of the default runs and the variants.
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

/// Adds the rate under the device's constant, and its ratio to the published rate.
void append_held_out(const Predictions& predictions, const Comparison& line, Cells& cells)
{
    const auto held = predictions.find(line.id);
    const bool found = held != predictions.end();
    cells.push_back(found ? readable(held->second.rate) : "");
    cells.push_back(found ? readable(held->second.ratio) : "");
}

std::string form_name(const Constant* constant)
{
    if (constant == nullptr)
        return "";
    const auto* const word = std::ranges::find(
        form_words, static_cast<std::int64_t>(constant->form), &config::Word::value);
    return word->text;
}

/// Returns the constant from all rows of a device; empty for several devices.
std::string value_text(const HeldOutErrors& one)
{
    if (one.constant == nullptr || !one.value)
        return "";
    return "; constant: " + (one.constant->form == Constant::Form::Share
                                 ? readable(one.value) + " of the simulated rate"
                                 : readable(one.value) + " s more than simulated");
}

std::string tenths_of_percent(double part)
{
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), 100 * part,
                                       std::chars_format::fixed, 1)
                             .ptr};
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

std::string comparison_csv(const std::vector<Comparison>& lines, const Predictions& predictions)
{
    Cells head{"id",
               "section",
               "quantity",
               "configuration",
               "published",
               "simulated",
               "ratio",
               "unit",
               "kind",
               "note",
               "relative_to",
               "published_relative",
               "simulated_relative",
               "expected",
               "verdict",
               "follows"};
    if (!predictions.empty())
        head.insert(head.end(), {"constant", "constant_without_row", "held_out", "held_out_ratio"});
    std::string text = csv_line(head);
    for (const Comparison& line : lines) {
        Cells cells{line.id,
                    line.section,
                    line.quantity,
                    line.configuration,
                    line.published_text,
                    exact(line.simulated.value),
                    exact(line.ratio),
                    line.unit,
                    name_of(line.row->kind),
                    full_note(line),
                    line.row->relative_to,
                    exact(line.published_relative),
                    exact(line.simulated_relative),
                    line.expected,
                    verdict(line),
                    follows_text(line)};
        const auto held = predictions.find(line.id);
        if (held != predictions.end())
            cells.insert(cells.end(), {held->second.constant->name, exact(held->second.value),
                                       exact(held->second.rate), exact(held->second.ratio)});
        cells.resize(head.size());
        text += csv_line(cells);
    }
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

std::string table_markdown(const Plan& plan, const std::vector<Comparison>& lines,
                           const Predictions& predictions)
{
    Cells head = with_variants(
        {"id", "quantity", "published", "simulated", "ratio", "unit", "kind", "follows"}, plan,
        true);
    if (!predictions.empty())
        head.insert(head.end(), {"one constant", "ratio"});
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
        if (!predictions.empty())
            append_held_out(predictions, line, cells);
        cells.insert(cells.end(), {relative_text(line), full_note(line)});
        text += markdown_line(cells);
    }
    return text;
}

std::string table_text(const std::vector<Comparison>& lines, const Predictions& predictions)
{
    constexpr std::size_t longest = 64;
    std::vector<Cells> table{{"id", "published", "simulated", "ratio"}};
    if (!predictions.empty())
        table[0].insert(table[0].end(), {"one constant", "ratio"});
    const std::size_t numbers = table[0].size();
    table[0].insert(table[0].end(), {"unit", "kind", "expected", "quantity"});
    for (const Comparison& line : lines) {
        std::string what = title(line);
        if (what.size() > longest)
            what = what.substr(0, longest - 3) + "...";
        table.push_back(
            {line.id, line.published_text, readable(line.simulated.value), readable(line.ratio)});
        if (!predictions.empty())
            append_held_out(predictions, line, table.back());
        table.back().insert(table.back().end(),
                            {line.unit, name_of(line.row->kind), verdict(line), what});
    }
    std::vector<std::size_t> widths(table[0].size());
    for (const Cells& cells : table)
        for (std::size_t i = 0; i < cells.size(); ++i)
            widths[i] = std::max(widths[i], cells[i].size());
    std::string text;
    for (const Cells& cells : table) {
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            const std::string padding(widths[i] - cells[i].size(), ' ');
            const bool number = i >= 1 && i < numbers;
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

std::string constants_csv(const std::vector<HeldOutErrors>& errors)
{
    std::string text = csv_line({"constant", "form", "value", "rows", "of_rows", "median_error",
                                 "worst_error", "worst", "note"});
    for (const HeldOutErrors& one : errors) {
        const Constant* const constant = one.constant;
        const bool any = one.rows != 0;
        text += csv_line({one.name, form_name(constant), exact(one.value), std::to_string(one.rows),
                          std::to_string(one.named), any ? exact(one.median) : "",
                          any ? exact(one.worst) : "", one.worst_id,
                          constant != nullptr ? constant->note : ""});
    }
    return text;
}

std::string constants_text(const std::vector<HeldOutErrors>& errors)
{
    std::string text;
    for (const HeldOutErrors& one : errors) {
        const std::string some =
            one.rows == one.named ? std::to_string(one.rows)
                                  : std::to_string(one.rows) + " of " + std::to_string(one.named);
        text += one.name + ": " + some + " rows, each predicted from the device's other rows";
        if (one.rows != 0)
            text += ": median error " + tenths_of_percent(one.median) + " %, worst " +
                    tenths_of_percent(one.worst) + " % (" + one.worst_id + ")";
        text += value_text(one) + "\n";
    }
    return text;
}

std::string goals_text(const Plan& plan, const std::vector<HeldOutErrors>& errors)
{
    std::string text;
    for (const Goal& goal : plan.goals)
        for (const HeldOutErrors& one : errors) {
            if (one.constant != nullptr)
                continue;
            const bool met = one.devices >= goal.devices && one.rows >= goal.rows &&
                             one.median <= goal.median && one.worst <= goal.worst;
            text += "goal " + goal.name + ", " + one.name + ": " + (met ? "met" : "NOT met") +
                    ": " + std::to_string(one.devices) + " devices (at least " +
                    std::to_string(goal.devices) + "), " + std::to_string(one.rows) +
                    " rows (at least " + std::to_string(goal.rows) + "), median " +
                    tenths_of_percent(one.median) + " % (at most " +
                    tenths_of_percent(goal.median) + "), worst " + tenths_of_percent(one.worst) +
                    " % (at most " + tenths_of_percent(goal.worst) + ")\n";
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
