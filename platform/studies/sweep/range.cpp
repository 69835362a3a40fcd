// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/range.hpp"

#include "platform/studies/sweep/measured.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;

constexpr double most_whole = 9007199254740992.0; // 2^53, beyond which a double skips integers
constexpr int real_digits = 6;                    // digits of real numbers in overrides

} // namespace

double root_power(double base, double exponent)
{
    constexpr int bits = 53; // bits of a double's mantissa
    double power = 1.0, root = base;
    if (exponent >= 1.0)
        return base;
    for (int bit = 0; bit < bits && exponent > 0.0; ++bit) {
        root = std::sqrt(root);
        exponent *= 2.0;
        if (exponent >= 1.0) {
            power *= root;
            exponent -= 1.0;
        }
    }
    return power;
}

Range::Range(MapReader& axis)
{
    const std::string from = axis.string("from"), to = axis.string("to");
    log_ = axis.word<bool>("scale");
    if (!axis.has("from") || !axis.has("to"))
        return; // finish() reports the missing key
    const auto least = dimension_of(from), most = dimension_of(to);
    const bool point = least == config::Dimension::Count &&
                       (from.find('.') != std::string::npos || to.find('.') != std::string::npos);
    if (least && most && *least == *most && !point)
        read_whole(axis, from, to);
    else
        read_real(axis, from, to);
    if (!(from_ < to_))
        throw axis.error("to",
                         "is '" + to + "'; expected more than 'from', which is '" + from + "'");
    if (log_ && from_ <= 0.0)
        throw axis.error("from", "is '" + from + "'; a logarithmic range begins above 0");
}

void Range::read_whole(MapReader& axis, const std::string& from, const std::string& to)
{
    dimension_ = dimension_of(from);
    const auto count = [&](const std::string& key, const std::string& text) {
        const config::QuantityResult read = config::parse_quantity(text, *dimension_);
        if (!read.error.empty())
            throw axis.error(key, "is '" + text + "'; expected a number with the unit of 'from'");
        if (static_cast<double>(read.value) > most_whole)
            throw axis.error(key, "is '" + text + "', which is too large for a range");
        return static_cast<double>(read.value);
    };
    from_ = count("from", from);
    to_ = count("to", to);
    if (!axis.has("multiple_of"))
        return;
    const std::string multiple = axis.string("multiple_of");
    multiple_ = count("multiple_of", multiple);
    if (multiple_ < 1.0 || std::ceil(from_ / multiple_) > std::floor(to_ / multiple_))
        throw axis.error("multiple_of",
                         "is '" + multiple + "', but the range contains no multiple of it");
}

void Range::read_real(MapReader& axis, const std::string& from, const std::string& to)
{
    const auto number = [&](const std::string& key, const std::string& text) {
        const std::optional<Measured> value = measure(text);
        if (!value || !value->unit.empty())
            throw axis.error(key, "is '" + text + "'; expected 'from' and 'to' as two numbers " +
                                      "without units, or with units of one kind, such as 1 MB "
                                      "and 16 MB");
        return value->value;
    };
    from_ = number("from", from);
    to_ = number("to", to);
    if (axis.has("multiple_of"))
        throw axis.error("multiple_of", "is given for a range of real numbers; expected 'from' and "
                                        "'to' as whole numbers, or with a unit");
}

double Range::between(double fraction) const
{
    return log_ ? from_ * root_power(to_ / from_, fraction) : from_ + (to_ - from_) * fraction;
}

std::string Range::text(double value) const
{
    if (dimension_) {
        const double rounded = std::round(value / multiple_);
        const double whole =
            std::clamp(rounded, std::ceil(from_ / multiple_), std::floor(to_ / multiple_)) *
            multiple_;
        return config::format_quantity(static_cast<std::uint64_t>(whole), *dimension_);
    }
    std::array<char, 40> digits{};
    return {digits.data(),
            std::to_chars(digits.data(), digits.data() + digits.size(),
                          std::clamp(value, from_, to_), std::chars_format::general, real_digits)
                .ptr};
}

std::vector<std::string> Range::steps(std::uint32_t steps) const
{
    std::vector<std::string> values;
    for (std::uint32_t i = 0; i < steps; ++i) {
        const std::string value = text(between(static_cast<double>(i) / (steps - 1)));
        if (values.empty() || values.back() != value)
            values.push_back(value);
    }
    return values;
}

std::vector<std::string> Range::every(const std::string& step, std::size_t most,
                                      const config::Place& place) const
{
    const std::optional<Measured> real = measure(step);
    double distance = 0.0;
    if (dimension_) {
        const config::QuantityResult whole = config::parse_quantity(step, *dimension_);
        distance = whole.error.empty() ? static_cast<double>(whole.value) : 0.0;
    } else if (real && real->unit.empty()) {
        distance = real->value;
    }
    if (!(distance > 0.0) || log_)
        throw Error(place, "'step' is '" + step + "'; expected a number above 0 in the unit of " +
                               "'from', and 'scale: linear'");
    const double number = std::floor((to_ - from_) / distance + 1e-9) + 1.0;
    if (number > static_cast<double>(most))
        throw Error(place, "'step' gives more than " + std::to_string(most) +
                               " values; expected a larger step");
    std::vector<std::string> values;
    for (double i = 0.0; i < number; i += 1.0)
        values.push_back(text(from_ + i * distance));
    return values;
}

std::string Range::drawn(double fraction) const
{
    if (log_ || !dimension_)
        return text(between(fraction));
    const double first = std::ceil(from_ / multiple_), last = std::floor(to_ / multiple_);
    return text((first + std::floor(fraction * (last - first + 1.0))) * multiple_);
}

} // namespace levee::sweep
