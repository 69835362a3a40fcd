// SPDX-License-Identifier: Apache-2.0
#include "core/config/quantity.hpp"

#include "core/config/error.hpp"
#include "core/config/node.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

namespace levee::config {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t scale;
};

constexpr std::uint64_t kilo = 1000, mega = kilo * 1000, giga = mega * 1000, tera = giga * 1000;
constexpr std::uint64_t peta = tera * 1000, exa = peta * 1000;
constexpr std::uint64_t kibi = 1024, mebi = kibi * 1024, gibi = mebi * 1024, tebi = gibi * 1024;

// Each list is sorted from the largest unit to the smallest.
constexpr std::array frequency_units{Unit{"GHz", giga}, Unit{"MHz", mega}, Unit{"kHz", kilo},
                                     Unit{"Hz", 1}};
constexpr std::array size_units{Unit{"TiB", tebi}, Unit{"TB", tera},  Unit{"GiB", gibi},
                                Unit{"GB", giga},  Unit{"MiB", mebi}, Unit{"MB", mega},
                                Unit{"KiB", kibi}, Unit{"kB", kilo},  Unit{"B", 1}};
constexpr std::array bandwidth_units{Unit{"TiB/s", tebi}, Unit{"TB/s", tera},  Unit{"GiB/s", gibi},
                                     Unit{"GB/s", giga},  Unit{"MiB/s", mebi}, Unit{"MB/s", mega},
                                     Unit{"KiB/s", kibi}, Unit{"kB/s", kilo},  Unit{"B/s", 1}};
constexpr std::array time_units{Unit{"s", tera}, Unit{"ms", giga}, Unit{"us", mega},
                                Unit{"ns", kilo}, Unit{"ps", 1}};
constexpr std::array transfer_units{Unit{"GT/s", giga}, Unit{"MT/s", mega}, Unit{"kT/s", kilo},
                                    Unit{"T/s", 1}};
constexpr std::array energy_units{Unit{"J", exa},   Unit{"mJ", peta}, Unit{"uJ", tera},
                                  Unit{"nJ", giga}, Unit{"pJ", mega}, Unit{"fJ", kilo},
                                  Unit{"aJ", 1}};
constexpr std::array power_units{Unit{"W", tera}, Unit{"mW", giga}, Unit{"uW", mega},
                                 Unit{"nW", kilo}, Unit{"pW", 1}};
constexpr std::array area_units{Unit{"mm2", mega}, Unit{"um2", 1}};
constexpr std::array current_units{Unit{"A", mega}, Unit{"mA", kilo}, Unit{"uA", 1}};
constexpr std::array voltage_units{Unit{"V", kilo}, Unit{"mV", 1}};

std::span<const Unit> units_of(Dimension dimension)
{
    switch (dimension) {
    case Dimension::Frequency:
        return frequency_units;
    case Dimension::Bandwidth:
        return bandwidth_units;
    case Dimension::Size:
        return size_units;
    case Dimension::Time:
        return time_units;
    case Dimension::TransferRate:
        return transfer_units;
    case Dimension::Energy:
        return energy_units;
    case Dimension::Power:
        return power_units;
    case Dimension::Area:
        return area_units;
    case Dimension::Current:
        return current_units;
    case Dimension::Voltage:
        return voltage_units;
    case Dimension::Count:
        return {};
    }
    return {};
}

struct Decimal {
    std::uint64_t digits = 0;     ///< The number's digits, without the decimal point.
    unsigned fraction_digits = 0; ///< Number of digits after the point.
    std::size_t consumed = 0;     ///< Characters read; 0: not a number.
    bool too_long = false;
};

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Reads an exponent such as "e5" or "E-3" at the start of `text` into `number`. Does nothing for
/// other text, which may be a unit.
void read_exponent(std::string_view text, Decimal& number)
{
    if (text.empty() || (text[0] != 'e' && text[0] != 'E'))
        return;
    int exponent = 0;
    const std::size_t sign = text.substr(1).starts_with('+') ? 2 : 1;
    if (sign == 2 && (text.size() == 2 || !is_digit(text[2]))) // A second sign.
        return;
    const char* const end = text.data() + text.size();
    const auto [last, failed] = std::from_chars(text.data() + sign, end, exponent);
    if (failed == std::errc::invalid_argument)
        return;
    number.consumed += static_cast<std::size_t>(last - text.data());
    if (number.digits == 0 && !number.too_long)
        return;
    constexpr int most = 40; // Larger exponents are out of range for every unit.
    number.too_long |= failed == std::errc::result_out_of_range || std::abs(exponent) > most;
    for (; exponent > 0 && !number.too_long; --exponent)
        if (number.fraction_digits > 0)
            --number.fraction_digits;
        else if (__builtin_mul_overflow(number.digits, 10, &number.digits))
            number.too_long = true;
    if (exponent < 0)
        number.fraction_digits += static_cast<unsigned>(-exponent);
}

Decimal read_decimal(std::string_view text)
{
    Decimal number;
    std::size_t i = 0;
    bool point = false;
    unsigned seen = 0;
    for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !point)); ++i) {
        if (text[i] == '.') {
            point = true;
            continue;
        }
        const std::uint64_t digit = static_cast<std::uint64_t>(text[i] - '0');
        if (__builtin_mul_overflow(number.digits, 10, &number.digits) ||
            __builtin_add_overflow(number.digits, digit, &number.digits))
            number.too_long = true;
        number.fraction_digits += point ? 1 : 0;
        ++seen;
    }
    const bool ends_in_point = i > 0 && text[i - 1] == '.';
    number.consumed = seen && !ends_in_point ? i : 0;
    if (number.consumed)
        read_exponent(text.substr(i), number);
    return number;
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

constexpr const char* too_fine = "is finer than the smallest supported unit";

QuantityResult scaled(Decimal number, std::uint64_t scale)
{
    while (number.fraction_digits && number.digits % 10 == 0) {
        number.digits /= 10;
        --number.fraction_digits;
    }
    while (number.fraction_digits && scale % 10 == 0) {
        scale /= 10;
        --number.fraction_digits;
    }
    QuantityResult result;
    if (number.too_long || __builtin_mul_overflow(number.digits, scale, &result.value))
        return {0, "is too large"};
    for (; number.fraction_digits; --number.fraction_digits) {
        if (result.value % 10 != 0)
            return {0, too_fine};
        result.value /= 10;
    }
    return result;
}

/// Hint for a unit of bits that probably should be bytes, such as "counts bits ('Gb/s'); in bytes
/// it is '8 GB/s'". Empty for other units.
std::string hint_of_bits(const Decimal& number, std::string_view unit, std::span<const Unit> units)
{
    std::string in_bytes(unit);
    const std::size_t b = in_bytes.find('b');
    if (b == std::string::npos || number.too_long)
        return {};
    in_bytes[b] = 'B';
    for (const Unit& known : units) {
        if (in_bytes != known.name)
            continue;
        const double bits =
            static_cast<double>(number.digits) / std::pow(10.0, number.fraction_digits);
        std::array<char, 64> bytes{};
        *std::to_chars(bytes.data(), bytes.data() + bytes.size() - 1, bits / 8).ptr = 0;
        return "counts bits ('" + std::string(unit) + "'); in bytes it is '" + bytes.data() + " " +
               in_bytes + "'";
    }
    return {};
}

} // namespace

std::vector<std::string_view> unit_names(Dimension dimension)
{
    std::vector<std::string_view> names;
    for (const Unit& unit : units_of(dimension))
        names.push_back(unit.name);
    return names;
}

std::string_view describe(Dimension dimension)
{
    switch (dimension) {
    case Dimension::Frequency:
        return "a frequency such as '1 GHz'";
    case Dimension::Bandwidth:
        return "a bandwidth such as '64 GB/s'";
    case Dimension::Size:
        return "a size such as '4 MiB'";
    case Dimension::Time:
        return "a time such as '45 us'";
    case Dimension::TransferRate:
        return "a transfer rate such as '3200 MT/s'";
    case Dimension::Energy:
        return "an energy such as '22.9 pJ'";
    case Dimension::Power:
        return "a power such as '415 mW'";
    case Dimension::Area:
        return "an area such as '7.3 mm2'";
    case Dimension::Current:
        return "a current such as '45 mA'";
    case Dimension::Voltage:
        return "a voltage such as '1.1 V'";
    case Dimension::Count:
        return "a whole number";
    }
    return "a number";
}

QuantityResult parse_quantity(std::string_view text, Dimension dimension)
{
    const std::string plain = plain_number(trimmed(text));
    text = plain;
    const Decimal number = read_decimal(text);
    if (!number.consumed && text.starts_with('-') && read_decimal(text.substr(1)).consumed)
        return {0, "is negative"};
    if (!number.consumed)
        return {0, "is not a number" +
                       std::string(dimension == Dimension::Count ? "" : " with a unit")};
    const std::string_view unit = trimmed(text.substr(number.consumed));
    const std::span<const Unit> units = units_of(dimension);
    if (units.empty() && !unit.empty())
        return {0, "has a unit; expected a plain number"};
    if (units.empty()) {
        QuantityResult whole = scaled(number, 1);
        if (whole.error == too_fine)
            whole.error = "is not a whole number";
        return whole;
    }
    for (const Unit& known : units)
        if (unit == known.name)
            return scaled(number, known.scale);
    if (unit.empty() && number.digits == 0 && !number.too_long)
        return {};
    if (unit.empty())
        return {0, "lacks its unit"};
    if (std::string bits = hint_of_bits(number, unit, units); !bits.empty())
        return {0, std::move(bits)};
    const std::vector<std::string_view> known_names = unit_names(dimension);
    const std::vector<std::string> names(known_names.begin(), known_names.end());
    return {0, "has the unit " + in_quotes(unit) + suggestion(unit, names)};
}

std::string format_quantity(std::uint64_t value, Dimension dimension)
{
    for (const Unit& unit : units_of(dimension))
        if (value && value % unit.scale == 0)
            return std::to_string(value / unit.scale) + " " + std::string(unit.name);
    const std::span<const Unit> units = units_of(dimension);
    return std::to_string(value) + (units.empty() ? "" : " " + std::string(units.back().name));
}

} // namespace levee::config
