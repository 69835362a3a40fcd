// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/errors.hpp"

#include <algorithm>
#include <cmath>

namespace levee::reproduce {

namespace {

bool has(const std::vector<std::string>& rows, const Comparison& line)
{
    return std::find(rows.begin(), rows.end(), line.row->id) != rows.end();
}

/// Returns |ln(simulated / published)| of one number.
std::optional<double> distance(const Comparison& line, const std::optional<double>& simulated,
                               bool percent_change)
{
    if (!line.published || !simulated)
        return std::nullopt;
    const auto factor = [&](double number) { return percent_change ? 1 + number / 100 : number; };
    if (factor(*line.published) <= 0 || factor(*simulated) <= 0)
        return std::nullopt;
    return std::abs(std::log(factor(*simulated) / factor(*line.published)));
}

/// Returns the simulated number of the default (column 0) or of variant `column` - 1.
std::optional<double> simulated_in(const Comparison& line, std::size_t column)
{
    return column == 0 ? line.simulated.value : line.variants[column - 1].value;
}

std::optional<double> error_in(const ErrorGroup& group, const std::vector<Comparison>& lines,
                               std::size_t column)
{
    double total = 0.0;
    std::size_t count = 0;
    for (const Comparison& line : lines) {
        const bool percent_change = has(group.percent_changes, line);
        if (!percent_change && !has(group.rows, line))
            continue;
        const auto one = distance(line, simulated_in(line, column), percent_change);
        if (!one)
            return std::nullopt;
        total += *one;
        ++count;
    }
    return std::exp(total / static_cast<double>(count)) - 1;
}

} // namespace

std::vector<GroupError> errors_of(const Plan& plan, const std::vector<Comparison>& lines)
{
    std::vector<GroupError> errors;
    for (const ErrorGroup& group : plan.errors) {
        GroupError error;
        error.name = group.name;
        std::size_t columns = 0;
        for (const Comparison& line : lines)
            if (has(group.rows, line) || has(group.percent_changes, line)) {
                ++error.numbers;
                columns = 1 + line.variants.size();
            }
        for (std::size_t column = 0; column < columns; ++column)
            error.error.push_back(error_in(group, lines, column));
        if (error.numbers != 0)
            errors.push_back(std::move(error));
    }
    return errors;
}

} // namespace levee::reproduce
