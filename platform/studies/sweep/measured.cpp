// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/measured.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace levee::sweep {

namespace {

using config::Dimension;

/// The SI unit of a dimension, and the number of the dimension's own units in it: 1e12 ps in 1 s.
struct SiUnit {
    Dimension dimension;
    const char* name;
    double counted;
};

constexpr std::array units{SiUnit{Dimension::Count, "", 1},
                           SiUnit{Dimension::Size, "B", 1},
                           SiUnit{Dimension::Time, "s", static_cast<double>(ps_per_second)},
                           SiUnit{Dimension::Frequency, "Hz", 1},
                           SiUnit{Dimension::Power, "W", 1e12},
                           SiUnit{Dimension::Bandwidth, "B/s", 1},
                           SiUnit{Dimension::Energy, "J", 1e18},
                           SiUnit{Dimension::TransferRate, "T/s", 1},
                           SiUnit{Dimension::Area, "mm2", 1e6}};

} // namespace

std::optional<Dimension> dimension_of(std::string_view text)
{
    for (const SiUnit& unit : units)
        if (config::parse_quantity(text, unit.dimension).error.empty())
            return unit.dimension;
    return std::nullopt;
}

Measured in_si(std::uint64_t value, Dimension dimension)
{
    for (const SiUnit& unit : units)
        if (unit.dimension == dimension)
            return {static_cast<double>(value) / unit.counted, unit.name};
    return {static_cast<double>(value), ""};
}

std::optional<Measured> measure(std::string_view text)
{
    double number = 0.0;
    const char* const end = text.data() + text.size();
    const auto [last, status] = std::from_chars(text.data(), end, number);
    if (status == std::errc() && last == end && std::isfinite(number))
        return Measured{number, ""};
    const std::optional<Dimension> dimension = dimension_of(text);
    if (!dimension)
        return std::nullopt;
    return in_si(config::parse_quantity(text, *dimension).value, *dimension);
}

std::string exact(double value)
{
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

} // namespace levee::sweep
