// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/reproduce/nearness.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace levee::reproduce {

namespace {

/// A number at the beginning of a text, and half a unit of the number's last digit.
struct Number {
    double value = 0.0, half_unit = 0.0;
    std::string rest;
};

std::optional<Number> number_in(const std::string& text)
{
    Number number;
    const char* const end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, number.value);
    if (result.ec != std::errc())
        return std::nullopt;
    const std::string digits(text.data(), result.ptr);
    const std::size_t exponent = digits.find_first_of("eE");
    const std::string mantissa = digits.substr(0, exponent);
    const std::size_t point = mantissa.find('.');
    const auto decimals = point == std::string::npos ? 0.0 : double(mantissa.size() - point - 1);
    const double power = exponent == std::string::npos ? 0 : std::stod(digits.substr(exponent + 1));
    number.half_unit = 0.5 * std::pow(10.0, power - decimals);
    number.rest = std::string(result.ptr, end);
    return number;
}

/// Returns the published text of one of a row's numbers.
std::string part_of(const Plan& plan, const Comparison& line)
{
    const Published* const published =
        line.row->is_own() ? nullptr : find_published(plan, line.row->id);
    if (published == nullptr || published->numbers.size() < 2)
        return line.published_text;
    std::string text = published->text;
    for (std::size_t part = 0; part < line.part; ++part)
        text = text.substr(text.find('/') + 1);
    return text.substr(0, text.find('/'));
}

/// Returns a line's numbers: the default's (index 0) and each variant's. In a series, each number
/// is divided by the number of the series' first row.
std::vector<std::optional<double>> numbers_of(const Comparison& line, const Comparison* first)
{
    static const Figure absent{{}, "the first row has no number"};
    std::vector<std::optional<double>> numbers;
    const auto add = [&](const Figure& own, const Figure* base) {
        numbers.push_back(own.value);
        if (base == nullptr || !own.value)
            return;
        numbers.back() = base->value && *base->value != 0.0
                             ? std::optional(*own.value / *base->value)
                             : std::nullopt;
    };
    add(line.simulated, first != nullptr ? &first->simulated : nullptr);
    for (std::size_t i = 0; i < line.variants.size(); ++i)
        add(line.variants[i], first == nullptr             ? nullptr
                              : i < first->variants.size() ? &first->variants[i]
                                                           : &absent);
    return numbers;
}

std::vector<std::string> nearer_of(const Plan& plan, const Comparison& line, Printed goal,
                                   const Comparison* first)
{
    if (first != nullptr) {
        if (!first->published || *first->published <= 0.0)
            return {};
        goal = {goal.least / *first->published, goal.most / *first->published};
    }
    const std::vector<std::optional<double>> numbers = numbers_of(line, first);
    if (!numbers[0])
        return {};
    const double own = goal.distance(*numbers[0]);
    std::vector<std::pair<double, std::string>> nearer;
    for (std::size_t i = 1; i < numbers.size(); ++i)
        if (numbers[i] && goal.distance(*numbers[i]) < own)
            nearer.emplace_back(goal.distance(*numbers[i]), plan.variants[i - 1].name);
    std::ranges::stable_sort(nearer, {}, &std::pair<double, std::string>::first);
    std::vector<std::string> names;
    for (auto& [distance, name] : nearer)
        names.push_back(std::move(name));
    return names;
}

} // namespace

double Printed::distance(double number) const
{
    return std::max({least - number, number - most, 0.0});
}

std::optional<Printed> printed(const std::string& text)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::size_t begin = text.find_first_not_of("<>~ ");
    if (begin == std::string::npos)
        return std::nullopt;
    const auto number = number_in(text.substr(begin));
    if (!number)
        return std::nullopt;
    const std::string sign = text.substr(0, begin);
    if (number->rest.starts_with("-")) {
        const auto most = number_in(number->rest.substr(1));
        if (!most || !most->rest.empty())
            return std::nullopt;
        return Printed{number->value - number->half_unit, most->value + most->half_unit};
    }
    if (!number->rest.empty())
        return std::nullopt;
    if (sign.find('>') != std::string::npos)
        return Printed{number->value, infinite};
    if (sign.find('<') != std::string::npos)
        return Printed{-infinite, number->value};
    return Printed{number->value - number->half_unit, number->value + number->half_unit};
}

void find_nearer(const Plan& plan, std::vector<Comparison>& lines)
{
    for (Comparison& line : lines) {
        const std::optional<Printed> goal = printed(part_of(plan, line));
        if (!goal)
            continue;
        const std::string& series = line.row->relative_to;
        const auto first = std::ranges::find_if(
            lines, [&](const Comparison& other) { return other.row->id == series; });
        const bool in_series = !series.empty() && first != lines.end();
        line.nearer = nearer_of(plan, line, *goal, in_series ? &*first : nullptr);
    }
}

} // namespace levee::reproduce
