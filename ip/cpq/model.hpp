// SPDX-License-Identifier: Apache-2.0
// Reference of cascade pruning and quantisation with hierarchical extension (Titanus, section IV).
// It converts rows of keys or values of one layer to packed bytes and back, without addresses and
// time. README.md states the rules. Every operation is FP32, rounded once to nearest even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::cpq {

inline constexpr unsigned most_bits = 8, most_levels = 64;
/// Magnitudes below least_value count as 0; those above greatest_value are clipped to it.
inline constexpr float least_value = 0x1p-60f, greatest_value = 0x1p60f;
/// A step is at least this fraction of the greatest magnitude in its level's range.
inline constexpr float finest_step = 0x1p-16f;
/// A tolerance is 0 or within these limits.
inline constexpr float least_tolerance = 0x1p-20f, greatest_tolerance = 0x1p20f;

/// Settings for compressing the rows of one table.
struct Settings {
    unsigned bits = 8;       ///< Bits of a code, 1 to most_bits.
    unsigned max_levels = 1; ///< Levels of a channel, 1 to most_levels.
    float threshold = 0;     ///< Smaller magnitudes are pruned; not negative.
    /// A level also accepts values outside its range, up to this fraction of the range's width.
    float tolerance = 0;
};
[[nodiscard]] bool is_valid(const Settings& settings);

/// Returns the value that the units process for x. NaN and magnitudes below least_value become +0.
/// Magnitudes above greatest_value, including infinity, are clipped to it.
[[nodiscard]] float to_value(float x);
/// Whether pruning keeps a value from to_value(): |value| >= threshold. Zeros are never kept.
[[nodiscard]] bool survives(float value, float threshold);

/// A quantisation level of a channel: value = (code - zero) * step.
struct Level {
    float min = 0, max = 0;  ///< Range that the level covers.
    float low = 0, high = 0; ///< Range with tolerance. A value outside opens a new level.
    float step = 0;
    float reciprocal = 0; ///< 1 / step, rounded.
    std::int32_t zero = 0;

    bool operator==(const Level&) const = default;
};
/// Makes a level. step = max((max - min) / (2^bits - 1), finest_step * greatest magnitude), or 1 if
/// both are 0. zero = -round(min * reciprocal). `min` and `max` must come from to_value().
[[nodiscard]] Level make_level(float min, float max, const Settings& settings);
/// Returns clamp(round(value * reciprocal) + zero, 0, 2^bits - 1). The product is exact; it is
/// rounded to nearest even.
[[nodiscard]] unsigned code_of(float value, const Level& level, unsigned bits);
[[nodiscard]] float value_of(unsigned code, const Level& level);

/// Counts of a row's values.
struct Counts {
    std::uint32_t survivors = 0; ///< Values that survive pruning.
    /// Survivors whose code differs from the code of 0. Only these are stored.
    std::uint32_t non_zeros = 0;
    std::uint32_t opened = 0;  ///< Levels that the row's values opened.
    std::uint32_t clamped = 0; ///< Values outside the last permitted level.

    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

/// A stored value.
struct Element {
    std::uint32_t channel = 0;
    std::uint8_t code = 0;
    std::uint8_t label = 0; ///< Number of the value's level.

    bool operator==(const Element&) const = default;
};
/// A quantised row: its nonzero elements, ordered by channel.
struct Row {
    unsigned label_bits = 0;
    std::vector<Element> elements;
};

/// Bits of a label if channels have up to `levels` levels; 0 for one level.
[[nodiscard]] unsigned label_bits(unsigned levels);
/// Bytes of a packed row. It consists of one byte for label_bits, an index with one bit per
/// channel, the codes, and the labels.
[[nodiscard]] std::size_t row_bytes(std::size_t channels, std::size_t non_zeros, unsigned bits,
                                    unsigned label_bits);
/// Largest possible size of a packed row.
[[nodiscard]] std::size_t most_row_bytes(std::size_t channels, const Settings& settings);
/// Packs a row. Each field starts at a byte; its bits are filled from the lowest on.
[[nodiscard]] std::vector<std::uint8_t> pack(const Row& row, std::size_t channels, unsigned bits);
/// Unpacks the row at the beginning of `packed`. Empty if `packed` is too short or does not begin
/// with a row.
[[nodiscard]] std::optional<Row> unpack(std::span<const std::uint8_t> packed, std::size_t channels,
                                        unsigned bits);

/// Scales and zeros of all channels, by level, and the ranges outside which values open new levels.
class Table {
public:
    /// Throws std::invalid_argument for invalid settings or if there are no channels.
    Table(std::size_t channels, const Settings& settings);

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] std::size_t channels() const { return levels_.size(); }
    /// Sets the threshold from the next row on; not negative.
    void set_threshold(float threshold) { settings_.threshold = threshold; }
    /// Levels of a channel in order; empty before its first survivor.
    [[nodiscard]] std::span<const Level> levels(std::size_t channel) const
    {
        return levels_[channel];
    }
    /// Largest number of levels of any channel.
    [[nodiscard]] unsigned levels_in_use() const { return in_use_; }

    /// Discards all levels.
    void forget();
    /// Adds a level that has already been computed.
    void add_level(std::size_t channel, const Level& level);
    /// Discards all levels, then makes level 0 of each channel so that it covers the channel's
    /// survivors in `rows`. Each row has channels() numbers.
    void open(std::span<const float> rows);
    /// Quantises a row of channels() numbers, which may open levels. Adds its counts to `counts`.
    Row quantise(std::span<const float> row, Counts& counts);
    /// Dequantises a row to channels() numbers. If a label belongs to no level, writes nothing and
    /// returns false.
    [[nodiscard]] bool dequantise(const Row& row, std::span<float> out) const;

    /// compress() quantises a row to packed bytes; expand() dequantises packed bytes.
    std::vector<std::uint8_t> compress(std::span<const float> row, Counts& counts);
    [[nodiscard]] bool expand(std::span<const std::uint8_t> packed, std::span<float> out) const;

private:
    [[nodiscard]] const Level* level_for(std::size_t channel, float value, Counts& counts);

    Settings settings_;
    std::vector<std::vector<Level>> levels_; ///< [channel][level]
    unsigned in_use_ = 0;
};

/// Converts a row of INT16 vectors, with one scale each, to FP32: code * scale, rounded.
void widen(std::span<const std::int16_t> codes, std::span<const float> scales,
           std::span<float> out);
/// Converts back to INT16, vector by vector, with quantise_int16(), which the platform also uses
/// for activations.
void narrow(std::span<const float> row, std::span<std::int16_t> codes, std::span<float> scales);

} // namespace levee::cpq
