// SPDX-License-Identifier: Apache-2.0
// Reference of cascade pruning and quantisation with hierarchical extension (Titanus, section IV):
// rows of keys or values of one layer to packed bytes and back, without addresses and time.
// README.md states the rules; every operation is FP32, rounded once to nearest even.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace levee::cpq {

inline constexpr unsigned most_bits = 8, most_levels = 64;
/// Magnitudes below the least count as 0, those above the greatest as the greatest.
inline constexpr float least_value = 0x1p-60f, greatest_value = 0x1p60f;
/// A step is no finer than this share of the greatest magnitude in its level's range.
inline constexpr float finest_step = 0x1p-16f;
/// A tolerance is 0 or within these limits.
inline constexpr float least_tolerance = 0x1p-20f, greatest_tolerance = 0x1p20f;

/// The compression rules of one table's rows.
struct Settings {
    unsigned bits = 8;       ///< bits of a code: 1 to most_bits
    unsigned max_levels = 1; ///< levels of a channel: 1 to most_levels
    float threshold = 0;     ///< smaller magnitudes are pruned; not negative
    /// Distance beyond its range at which a level still accepts values, as a share of the range's
    /// width.
    float tolerance = 0;
};
[[nodiscard]] bool is_valid(const Settings& settings);

/// A value as the units see it: NaN and magnitudes below least_value become +0; magnitudes above
/// greatest_value, including infinity, are clipped to it.
[[nodiscard]] float to_value(float x);
/// Whether pruning keeps a value (from to_value): |value| >= threshold. Zeros are never kept.
[[nodiscard]] bool survives(float value, float threshold);

/// A channel's quantisation: value = (code - zero) * step.
struct Level {
    float min = 0, max = 0;  ///< the range that it covers
    float low = 0, high = 0; ///< Range with its tolerance; a value outside opens a new level.
    float step = 0;
    float reciprocal = 0; ///< 1 / step, rounded
    std::int32_t zero = 0;

    bool operator==(const Level&) const = default;
};
/// step = max((max - min) / (2^bits - 1), finest_step * greatest magnitude), 1 if both are 0;
/// zero = -round(min * reciprocal). `min` and `max` are of to_value.
[[nodiscard]] Level make_level(float min, float max, const Settings& settings);
/// clamp(round(value * reciprocal) + zero, 0, 2^bits - 1); the product is exact, so that rounding
/// to nearest even is the only one.
[[nodiscard]] unsigned code_of(float value, const Level& level, unsigned bits);
[[nodiscard]] float value_of(unsigned code, const Level& level);

/// Counts of a row's values.
struct Counts {
    std::uint32_t survivors = 0; ///< values that survive pruning
    /// Survivors whose code differs from that of 0; only these are stored.
    std::uint32_t non_zeros = 0;
    std::uint32_t opened = 0;  ///< levels that its values opened
    std::uint32_t clamped = 0; ///< values outside the last permitted level

    Counts& operator+=(const Counts& other);
    bool operator==(const Counts&) const = default;
};

/// A stored value.
struct Element {
    std::uint32_t channel = 0;
    std::uint8_t code = 0;
    std::uint8_t label = 0; ///< Label of its level.

    bool operator==(const Element&) const = default;
};
/// A quantised row: its elements that are not 0, in the order of channels.
struct Row {
    unsigned label_bits = 0;
    std::vector<Element> elements;
};

/// Bits of a label if channels have up to `levels` levels: 0 for one.
[[nodiscard]] unsigned label_bits(unsigned levels);
/// Bytes of a packed row: one byte for label_bits, an index with one bit for each channel, codes,
/// labels.
[[nodiscard]] std::size_t row_bytes(std::size_t channels, std::size_t non_zeros, unsigned bits,
                                    unsigned label_bits);
/// Largest size of a packed row.
[[nodiscard]] std::size_t most_row_bytes(std::size_t channels, const Settings& settings);
/// Fields follow each other in whole bytes; bits within a field are filled from the lowest on.
[[nodiscard]] std::vector<std::uint8_t> pack(const Row& row, std::size_t channels, unsigned bits);
/// Row at the beginning of `packed`; nothing if `packed` is too short or does not begin with a row.
[[nodiscard]] std::optional<Row> unpack(std::span<const std::uint8_t> packed, std::size_t channels,
                                        unsigned bits);

/// Scales and zeros of all channels, level by level, and the ranges that open new levels.
class Table {
public:
    /// Throws std::invalid_argument for settings that are not valid or no channels.
    Table(std::size_t channels, const Settings& settings);

    [[nodiscard]] const Settings& settings() const { return settings_; }
    [[nodiscard]] std::size_t channels() const { return levels_.size(); }
    /// Sets the threshold from the next row on; not negative.
    void set_threshold(float threshold) { settings_.threshold = threshold; }
    /// Levels of a channel, the first one first; none before its first survivor.
    [[nodiscard]] std::span<const Level> levels(std::size_t channel) const
    {
        return levels_[channel];
    }
    /// The most levels that a channel has.
    [[nodiscard]] unsigned levels_in_use() const { return in_use_; }

    /// Forgets all levels.
    void forget();
    /// Adds a channel's level that was made elsewhere.
    void add_level(std::size_t channel, const Level& level);
    /// Discards all levels, then makes level 0 of each channel with survivors in `rows` (channels()
    /// numbers each), so that it covers them.
    void open(std::span<const float> rows);
    /// Quantises a row, which may open levels; adds the results to `counts`.
    Row quantise(std::span<const float> row, Counts& counts);
    /// Writes channels() numbers. Returns false and writes nothing if a label belongs to no level.
    [[nodiscard]] bool dequantise(const Row& row, std::span<float> out) const;

    /// The same, but to packed bytes and from them.
    std::vector<std::uint8_t> compress(std::span<const float> row, Counts& counts);
    [[nodiscard]] bool expand(std::span<const std::uint8_t> packed, std::span<float> out) const;

private:
    [[nodiscard]] const Level* level_for(std::size_t channel, float value, Counts& counts);

    Settings settings_;
    std::vector<std::vector<Level>> levels_; ///< [channel][level]
    unsigned in_use_ = 0;
};

/// Converts a row of INT16 vectors, each with a scale, to FP32: code * scale, rounded.
void widen(std::span<const std::int16_t> codes, std::span<const float> scales,
           std::span<float> out);
/// The reverse, vector by vector, as the platform quantises activations (quantise_int16).
void narrow(std::span<const float> row, std::span<std::int16_t> codes, std::span<float> scales);

} // namespace levee::cpq
