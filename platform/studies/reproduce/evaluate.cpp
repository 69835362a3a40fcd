// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/evaluate.hpp"

#include "platform/studies/reproduce/nearness.hpp"
#include "platform/studies/reproduce/runs.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace levee::reproduce {

namespace {

/// Thrown if an expression needs a run that failed, or a figure that its results lack.
struct Missing : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string text_of(double value)
{
    constexpr int significant = 6;
    std::string text(40, '\0');
    const auto result = std::to_chars(text.data(), text.data() + text.size(), value,
                                      std::chars_format::general, significant);
    text.resize(static_cast<std::size_t>(result.ptr - text.data()));
    return text;
}

void collect(const sweep::Expression& sum, std::set<std::string>& runs)
{
    sweep::each_figure(sum,
                       [&](const std::string&, const std::string& point) { runs.insert(point); });
}

std::optional<double> number_of(const Plan& plan, const Row& row, std::size_t part)
{
    if (row.derived)
        return sweep::value_of(*row.derived, [&](const std::string&, const std::string& id) {
            return find_published(plan, id)->numbers[0];
        });
    if (row.is_own())
        return std::nullopt;
    const std::vector<double>& numbers = find_published(plan, row.id)->numbers;
    return part < numbers.size() ? std::optional(numbers[part]) : std::nullopt;
}

/// Compares a number with a row's bounds, and notes the bound that applied. A missing number is
/// outside.
class Judge {
public:
    explicit Judge(Comparison& comparison) : comparison_(comparison) {}

    void bound(const std::optional<Bounds>& bounds, const std::string& what,
               const std::optional<double>& value)
    {
        if (!bounds)
            return;
        comparison_.expected += (comparison_.expected.empty() ? "" : "; ") + what + " " +
                                text_of(bounds->least) + " to " + text_of(bounds->most);
        const bool inside = value && *value >= bounds->least && *value <= bounds->most;
        comparison_.holds = comparison_.holds.value_or(true) && inside;
    }

private:
    Comparison& comparison_;
};

/// Returns the lines of one row, before any comparison with others.
std::vector<Comparison> lines_of(const Plan& plan, const Row& row)
{
    const Published* published = row.is_own() ? nullptr : find_published(plan, row.id);
    const std::size_t count = std::max<std::size_t>(1, row.parts.size());
    std::vector<Comparison> lines;
    for (std::size_t part = 0; part < count; ++part) {
        Comparison line;
        line.row = &row;
        line.id = row.id + (count > 1 ? "/" + std::to_string(part + 1) : "");
        line.section = published != nullptr ? published->section : "";
        line.quantity = published != nullptr ? published->quantity : row.quantity;
        line.configuration = published != nullptr ? published->configuration : row.configuration;
        line.unit = published != nullptr ? published->unit : row.unit;
        line.published = number_of(plan, row, part);
        if (line.published && (published == nullptr || count > 1))
            line.published_text = text_of(*line.published);
        else if (published != nullptr)
            line.published_text = published->text;
        line.part = part;
        lines.push_back(std::move(line));
    }
    return lines;
}

void relate(std::vector<Comparison>& lines)
{
    for (Comparison& line : lines) {
        const std::string& first = line.row->relative_to;
        if (first.empty())
            continue;
        const auto base = std::find_if(lines.begin(), lines.end(), [&](const Comparison& other) {
            return other.row->id == first;
        });
        if (base == lines.end())
            continue;
        if (line.published && base->published && *base->published != 0.0)
            line.published_relative = *line.published / *base->published;
        if (line.simulated.value && base->simulated.value && *base->simulated.value != 0.0)
            line.simulated_relative = *line.simulated.value / *base->simulated.value;
    }
}

/// Returns the number to which a row's `expect` applies; null if it belongs to a variant that was
/// not run.
const Figure* expected_of(const Plan& plan, const Comparison& line)
{
    if (line.row->expect_in.empty())
        return &line.simulated;
    const auto variant =
        std::find_if(plan.variants.begin(), plan.variants.end(),
                     [&](const Variant& known) { return known.name == line.row->expect_in; });
    const auto index = static_cast<std::size_t>(variant - plan.variants.begin());
    return index < line.variants.size() ? &line.variants[index] : nullptr;
}

void judge_simulated(const Plan& plan, const Comparison& line, Judge& judge)
{
    const std::vector<Bounds>& expect = line.row->expect;
    const Figure* const number = expected_of(plan, line);
    if (expect.empty() || number == nullptr)
        return;
    const std::string& variant = line.row->expect_in;
    judge.bound(expect[std::min(line.part, expect.size() - 1)],
                variant.empty() ? "simulated" : "in " + variant, number->value);
}

void judge_all(const Plan& plan, std::vector<Comparison>& lines)
{
    for (Comparison& line : lines) {
        if (line.simulated.value && line.published && *line.published != 0.0)
            line.ratio = *line.simulated.value / *line.published;
        std::optional<double> relative;
        if (line.published_relative && line.simulated_relative)
            relative = *line.simulated_relative / *line.published_relative;
        Judge judge(line);
        judge_simulated(plan, line, judge);
        judge.bound(line.row->expect_ratio, "ratio", line.ratio);
        judge.bound(line.row->expect_relative, "ratio to that of " + line.row->relative_to,
                    relative);
    }
}

} // namespace

std::set<std::string> runs_of(const std::vector<const Row*>& rows,
                              const std::vector<const Plot*>& plots)
{
    std::set<std::string> runs;
    for (const Row* row : rows)
        for (const auto& part : row->parts)
            for (const sweep::Expression& sum : part)
                collect(sum, runs);
    for (const Plot* plot : plots)
        for (const Plot::Line& line : plot->lines)
            for (const sweep::Expression& sum : line.values)
                collect(sum, runs);
    return runs;
}

Evaluator::Evaluator(const Plan& plan, const Metrics& metrics, const Variant* variant)
    : metrics_(metrics)
{
    for (const sweep::Column& column : plan.figures)
        columns_[column.name] = &column;
    if (variant != nullptr)
        for (const sweep::Column& column : variant->figures)
            columns_[column.name] = &column;
}

double Evaluator::figure(const std::string& column, const std::string& run) const
{
    const auto found = metrics_.find(run);
    if (found == metrics_.end())
        throw Missing("the run " + run + " failed");
    try {
        return column_value(found->second, *columns_.at(column), run);
    } catch (const config::Error& error) {
        throw Missing(error.what());
    }
}

Figure Evaluator::value(const sweep::Expression& sum) const
{
    try {
        const double value = sweep::value_of(
            sum, [this](const auto& column, const auto& run) { return figure(column, run); });
        if (!std::isfinite(value))
            return {{}, "a division by zero"};
        return {value, {}};
    } catch (const Missing& missing) {
        return {{}, missing.what()};
    }
}

Figure Evaluator::average(const std::vector<sweep::Expression>& sums, Average average) const
{
    std::vector<double> values;
    for (const sweep::Expression& sum : sums) {
        const Figure one = value(sum);
        if (!one.value)
            return one;
        values.push_back(*one.value);
    }
    if (average == Average::Most)
        return {*std::max_element(values.begin(), values.end()), {}};
    if (average == Average::Least)
        return {*std::min_element(values.begin(), values.end()), {}};
    double total = 0.0;
    for (const double value : values)
        total += value;
    return {total / static_cast<double>(values.size()), {}};
}

std::vector<Comparison> compare(const Plan& plan, const std::vector<const Row*>& rows,
                                const Metrics& metrics, const std::vector<Metrics>& variants)
{
    const Evaluator evaluator(plan, metrics, nullptr);
    std::vector<Comparison> lines;
    for (const Row* row : rows) {
        std::vector<Comparison> own = lines_of(plan, *row);
        for (std::size_t part = 0; part < row->parts.size(); ++part) {
            own[part].simulated = evaluator.average(row->parts[part], row->average);
            for (std::size_t i = 0; i < variants.size(); ++i)
                own[part].variants.push_back(Evaluator(plan, variants[i], &plan.variants[i])
                                                 .average(row->parts[part], row->average));
        }
        lines.insert(lines.end(), own.begin(), own.end());
    }
    relate(lines);
    find_nearer(plan, lines);
    judge_all(plan, lines);
    return lines;
}

} // namespace levee::reproduce
