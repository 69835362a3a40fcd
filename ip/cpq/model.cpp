// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/model.hpp"

#include "core/numerics/numerics.hpp"
#include "core/numerics/round_even.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace levee::cpq {

namespace {

/// Rounds to the nearest integer. Beyond 2^30 every code is clamped, so any integer with the same
/// sign is correct.
std::int32_t nearest(double value)
{
    constexpr double limit = 0x1p30;
    return static_cast<std::int32_t>(round_even(std::clamp(value, -limit, limit)));
}

/// Returns the value in steps. Both factors have 24 bits, so their product in double precision is
/// exact.
std::int32_t in_steps(float value, float reciprocal)
{
    return nearest(static_cast<double>(value) * static_cast<double>(reciprocal));
}

constexpr int greatest_code(unsigned bits)
{
    return (1 << bits) - 1;
}

constexpr std::size_t bytes_of(std::size_t bits)
{
    return (bits + 7) / 8;
}

/// Writes numbers of `width` bits, the first one in the lowest bits.
class BitWriter {
public:
    explicit BitWriter(std::span<std::uint8_t> field) : field_(field) {}
    void put(unsigned value, unsigned width)
    {
        for (unsigned bit = 0; bit < width; ++bit, ++at_)
            field_[at_ / 8] =
                static_cast<std::uint8_t>(field_[at_ / 8] | (((value >> bit) & 1u) << (at_ % 8)));
    }

private:
    std::span<std::uint8_t> field_;
    std::size_t at_ = 0;
};

class BitReader {
public:
    explicit BitReader(std::span<const std::uint8_t> field) : field_(field) {}
    std::uint8_t take(unsigned width)
    {
        unsigned value = 0;
        for (unsigned bit = 0; bit < width; ++bit, ++at_)
            value |= ((field_[at_ / 8] >> (at_ % 8)) & 1u) << bit;
        return static_cast<std::uint8_t>(value);
    }

private:
    std::span<const std::uint8_t> field_;
    std::size_t at_ = 0;
};

} // namespace

bool is_valid(const Settings& settings)
{
    const float tolerance = settings.tolerance;
    return settings.bits >= 1 && settings.bits <= most_bits && settings.max_levels >= 1 &&
           settings.max_levels <= most_levels && settings.threshold >= 0 &&
           settings.threshold <= greatest_value &&
           (tolerance == 0 || (tolerance >= least_tolerance && tolerance <= greatest_tolerance));
}

float to_value(float x)
{
    const float magnitude = std::fabs(x);
    if (!(magnitude >= least_value)) // The condition is also false for NaN.
        return 0;
    return std::copysign(std::min(magnitude, greatest_value), x);
}

bool survives(float value, float threshold)
{
    return value != 0 && std::fabs(value) >= threshold;
}

Level make_level(float min, float max, const Settings& settings)
{
    Level level{.min = min, .max = max};
    const float width = max - min;
    const float slack = settings.tolerance * width;
    level.low = min - slack;
    level.high = max + slack;
    const float magnitude = std::max(std::fabs(min), std::fabs(max));
    level.step =
        std::max(width / static_cast<float>(greatest_code(settings.bits)), magnitude * finest_step);
    if (level.step == 0)
        level.step = 1;
    level.reciprocal = 1 / level.step;
    level.zero = -in_steps(min, level.reciprocal);
    return level;
}

unsigned code_of(float value, const Level& level, unsigned bits)
{
    const std::int32_t code = in_steps(value, level.reciprocal) + level.zero;
    return static_cast<unsigned>(std::clamp(code, 0, greatest_code(bits)));
}

float value_of(unsigned code, const Level& level)
{
    return static_cast<float>(static_cast<std::int32_t>(code) - level.zero) * level.step;
}

Counts& Counts::operator+=(const Counts& other)
{
    survivors += other.survivors;
    non_zeros += other.non_zeros;
    opened += other.opened;
    clamped += other.clamped;
    return *this;
}

unsigned label_bits(unsigned levels)
{
    unsigned bits = 0;
    while ((1u << bits) < levels)
        ++bits;
    return bits;
}

std::size_t row_bytes(std::size_t channels, std::size_t non_zeros, unsigned bits, unsigned label)
{
    return 1 + bytes_of(channels) + bytes_of(non_zeros * bits) + bytes_of(non_zeros * label);
}

std::size_t most_row_bytes(std::size_t channels, const Settings& settings)
{
    return row_bytes(channels, channels, settings.bits, label_bits(settings.max_levels));
}

std::vector<std::uint8_t> pack(const Row& row, std::size_t channels, unsigned bits)
{
    const std::size_t stored = row.elements.size();
    std::vector<std::uint8_t> packed(row_bytes(channels, stored, bits, row.label_bits));
    packed[0] = static_cast<std::uint8_t>(row.label_bits);
    const std::span fields(packed);
    BitWriter codes(fields.subspan(1 + bytes_of(channels)));
    BitWriter labels(fields.subspan(1 + bytes_of(channels) + bytes_of(stored * bits)));
    for (const Element& element : row.elements) {
        packed[1 + element.channel / 8] = static_cast<std::uint8_t>(
            packed[1 + element.channel / 8] | (1u << (element.channel % 8)));
        codes.put(element.code, bits);
        labels.put(element.label, row.label_bits);
    }
    return packed;
}

std::optional<Row> unpack(std::span<const std::uint8_t> packed, std::size_t channels, unsigned bits)
{
    if (packed.size() < row_bytes(channels, 0, bits, 0) || packed[0] > label_bits(most_levels))
        return std::nullopt;
    Row row{.label_bits = packed[0], .elements = {}};
    BitReader index(packed.subspan(1));
    for (std::uint32_t channel = 0; channel < channels; ++channel)
        if (index.take(1) != 0)
            row.elements.push_back({.channel = channel});
    const std::size_t stored = row.elements.size();
    if (packed.size() < row_bytes(channels, stored, bits, row.label_bits))
        return std::nullopt;
    BitReader codes(packed.subspan(1 + bytes_of(channels)));
    BitReader labels(packed.subspan(1 + bytes_of(channels) + bytes_of(stored * bits)));
    for (Element& element : row.elements) {
        element.code = codes.take(bits);
        element.label = labels.take(row.label_bits);
    }
    return row;
}

Table::Table(std::size_t channels, const Settings& settings)
    : settings_(settings), levels_(channels)
{
    if (channels == 0 || !is_valid(settings))
        throw std::invalid_argument(
            "cpq: no channels, or settings outside the limits of ip/cpq/model.hpp");
}

void Table::forget()
{
    in_use_ = 0;
    for (std::vector<Level>& levels : levels_)
        levels.clear();
}

void Table::add_level(std::size_t channel, const Level& level)
{
    levels_[channel].push_back(level);
    in_use_ = std::max(in_use_, static_cast<unsigned>(levels_[channel].size()));
}

void Table::open(std::span<const float> rows)
{
    struct Range {
        float min = kInfinity, max = -kInfinity;
    };
    std::vector<Range> ranges(channels());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const float value = to_value(rows[i]);
        if (!survives(value, settings_.threshold))
            continue;
        Range& range = ranges[i % channels()];
        range.min = std::min(range.min, value);
        range.max = std::max(range.max, value);
    }
    forget();
    for (std::size_t channel = 0; channel < channels(); ++channel)
        if (ranges[channel].min <= ranges[channel].max)
            add_level(channel, make_level(ranges[channel].min, ranges[channel].max, settings_));
}

/// Returns the channel's last level. If that level does not cover the value, opens a new level,
/// unless the channel already has `max_levels`.
const Level* Table::level_for(std::size_t channel, float value, Counts& counts)
{
    std::vector<Level>& levels = levels_[channel];
    float min = value, max = value;
    if (!levels.empty()) {
        const Level& last = levels.back();
        const bool outside = value < last.low || value > last.high;
        if (outside && levels.size() == settings_.max_levels)
            ++counts.clamped;
        if (!outside || levels.size() == settings_.max_levels)
            return &last;
        min = std::min(min, last.min);
        max = std::max(max, last.max);
    }
    add_level(channel, make_level(min, max, settings_));
    ++counts.opened;
    return &levels.back();
}

Row Table::quantise(std::span<const float> row, Counts& counts)
{
    if (row.size() != channels())
        throw std::invalid_argument("cpq: a row and its table have different numbers of channels");
    Row result;
    for (std::uint32_t channel = 0; channel < row.size(); ++channel) {
        const float value = to_value(row[channel]);
        if (!survives(value, settings_.threshold))
            continue;
        ++counts.survivors;
        const Level& level = *level_for(channel, value, counts);
        const unsigned code = code_of(value, level, settings_.bits);
        if (static_cast<std::int32_t>(code) == level.zero)
            continue; // Dequantises to 0 without being stored.
        ++counts.non_zeros;
        result.elements.push_back({channel, static_cast<std::uint8_t>(code),
                                   static_cast<std::uint8_t>(levels_[channel].size() - 1)});
    }
    result.label_bits = label_bits(in_use_);
    return result;
}

bool Table::dequantise(const Row& row, std::span<float> out) const
{
    for (const Element& element : row.elements)
        if (element.channel >= channels() || element.label >= levels_[element.channel].size())
            return false;
    std::ranges::fill(out, 0.0f);
    for (const Element& element : row.elements)
        out[element.channel] = value_of(element.code, levels_[element.channel][element.label]);
    return true;
}

std::vector<std::uint8_t> Table::compress(std::span<const float> row, Counts& counts)
{
    return pack(quantise(row, counts), channels(), settings_.bits);
}

bool Table::expand(std::span<const std::uint8_t> packed, std::span<float> out) const
{
    const std::optional<Row> row = unpack(packed, channels(), settings_.bits);
    return row && dequantise(*row, out);
}

void widen(std::span<const std::int16_t> codes, std::span<const float> scales, std::span<float> out)
{
    const std::size_t vector = codes.size() / scales.size();
    for (std::size_t i = 0; i < codes.size(); ++i)
        out[i] = static_cast<float>(codes[i]) * scales[i / vector];
}

void narrow(std::span<const float> row, std::span<std::int16_t> codes, std::span<float> scales)
{
    const std::size_t vector = row.size() / scales.size();
    for (std::size_t i = 0; i < scales.size(); ++i)
        scales[i] =
            quantise_int16(row.subspan(i * vector, vector), codes.subspan(i * vector, vector));
}

} // namespace levee::cpq
