// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/retention.hpp"
#include "ip/edram/cells.hpp"
#include "ip/edram/geometry.hpp"
#include "ip/edram/refresh.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace levee::edram {

struct ArrayConfig {
    Geometry geometry;
    RefreshConfig refresh;
    std::optional<RetentionConfig> retention; ///< Absent: no cell ever fails.
};

/// A region of the memory whose vectors have scores in the register file (regs.h).
struct Region {
    std::uint64_t offset = 0;
    std::uint64_t vector_bytes = 0;
    std::uint64_t first_entry = 0;
    std::uint64_t vectors = 0;
    std::uint64_t element_bits = usual_element_bits; ///< 16, 8 or 4.

    [[nodiscard]] bool has_entries() const { return first_entry != LEVEE_EDRAM_NO_ENTRIES; }
};

using Lifetime = DataLifetime;
using LifetimeSink = DataLifetimeSink;

/// Histogram of row ages at reads, by refresh group. Only the rows of every eighth unit are
/// counted.
struct AgeCounts {
    static constexpr std::uint64_t every = 8; ///< One unit of this many is counted.
    /// Bucket i counts ages below 2^i us; the last bucket counts all greater ages.
    static constexpr unsigned buckets = 32;
    std::array<std::array<std::uint64_t, buckets>, LEVEE_EDRAM_GROUPS> rows{};
    GroupTimes oldest{};
};

/// Reference model of an eDRAM. It knows which rows are valid, their refresh groups and refreshes,
/// and which bits fail. The caller owns the bytes. `now` must not decrease from call to call.
/// Addresses are relative to the memory's first byte and must lie in the memory.
class Array {
public:
    /// Number of scores in the register file: one for each unit of a side, because at most as many
    /// vectors fit.
    [[nodiscard]] static std::uint64_t score_count(const Geometry& geometry)
    {
        return geometry.side_units();
    }

    /// `bytes` points to the memory's data, followed by its register file. `bytes` and `refresh`
    /// must outlive this object. Throws std::invalid_argument for an invalid configuration.
    Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes, Refresh& refresh);
    /// Uses the standard refresh controllers.
    Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes);

    /// Call before these bytes are written. If a row is written only in part, its other cells are
    /// restored, as by a refresh.
    void write(std::uint64_t address, std::uint64_t bytes, Time now);
    /// Call before these bytes are read. Bits that have failed by now are flipped first.
    void read(std::uint64_t address, std::uint64_t bytes, Time now);
    /// Marks bytes as unneeded until they are written again. A row becomes invalid when all bytes
    /// of its line are discarded; its contents then no longer change.
    void discard(std::uint64_t address, std::uint64_t bytes, Time now);
    void forget(Time now);

    void set_interval(unsigned group, Time interval, Time now);
    /// Sets region `number`. Throws std::invalid_argument, with the reason, if vectors or scores
    /// are out of range, or if elements do not have 16, 8 or 4 bits.
    void set_region(unsigned number, const Region& region, Time now);
    /// Call before the scores change to `values`.
    void write_scores(std::uint64_t first, const std::uint8_t* values, std::uint64_t count,
                      Time now);
    /// Brings all counts up to `now`.
    void settle(Time now) { refresh_.settle(now); }
    [[nodiscard]] const Refresh& refresh() const { return refresh_; }
    [[nodiscard]] const Region& region(unsigned number) const { return regions_[number]; }
    [[nodiscard]] const AgeCounts& ages() const { return ages_; }
    [[nodiscard]] std::uint64_t flipped_bits() const { return cells_ ? cells_->flipped() : 0; }
    [[nodiscard]] bool is_high(std::uint64_t line) const { return high_[line]; }
    [[nodiscard]] bool is_valid(std::uint64_t line) const { return lines_[line]; }

    void observe_failures(FailureSink sink);
    void observe_lifetimes(LifetimeSink sink);

private:
    static constexpr std::uint32_t whole = 0xFFFF'FFFFu;

    void write_unit(std::uint64_t unit, std::uint32_t bytes, Time now);
    void write_whole(std::uint64_t first, std::uint64_t end, Time now);
    void validate(std::uint64_t first_unit, std::uint64_t end_unit);
    void invalidate(std::uint64_t first_unit, std::uint64_t end_unit);
    void restore_rest(std::uint64_t first_unit, std::uint64_t end_unit, Time now);
    [[nodiscard]] bool holds_data(std::uint64_t line) const;
    [[nodiscard]] std::uint64_t line_of(std::uint64_t unit) const
    {
        return line_shift_ ? unit >> *line_shift_ : unit / geometry_.line_units();
    }
    void restart(std::uint64_t unit, Time now);
    void read_unit(std::uint64_t unit, Time now);
    void bound_ages();
    void discard_unit(std::uint64_t unit, std::uint32_t bytes);
    void discard_whole(std::uint64_t first, std::uint64_t end);
    [[nodiscard]] std::uint32_t wanted(std::uint64_t unit) const;
    void want(std::uint64_t unit, std::uint32_t bytes);
    template <typename Visit> void for_each_valid_line(Visit visit) const;
    template <typename Visit> void for_each_valid_unit(std::uint64_t line, Visit visit) const;
    [[nodiscard]] Rhythm rhythm(unsigned group) const { return {group, refresh_.interval(group)}; }
    void count_age(unsigned group, Time age);
    [[nodiscard]] bool wants_high(std::uint64_t line) const;
    [[nodiscard]] bool entry_is_high(std::uint64_t entry) const;
    void regroup(std::uint64_t line, Time now);
    void regroup_bytes(std::uint64_t offset, std::uint64_t bytes, Time now);
    void regroup_lines(std::uint64_t offset, std::uint64_t bytes, Time now);
    void reschedule(std::uint64_t line);
    void check_region(unsigned number, const Region& region) const;
    void set_element_bits(const Region& region, std::uint64_t bits);
    void report_lifetimes(std::uint64_t address, std::uint64_t bytes, Time now) const;

    Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes,
          std::unique_ptr<Refresh> own);

    Geometry geometry_;
    std::optional<unsigned> line_shift_; ///< log2 of the units per line, if that is a power of two.
    std::uint8_t* scores_;
    std::unique_ptr<Refresh> own_refresh_; ///< The refresh controllers, if this object owns them;
                                           ///< null: they belong to the caller.
    Refresh& refresh_;
    std::optional<Cells> cells_;
    // The following bitmaps state which units are valid.
    Bitmap valid_;                      ///< At least one byte of the unit is valid.
    Bitmap part_;                       ///< Some but not all bytes of the unit are valid.
    std::vector<std::uint32_t> wanted_; ///< For units in part_: one bit per byte, set if the byte
                                        ///< is valid.
    // Validity of lines.
    Bitmap lines_; ///< At least one byte of the line is valid.
    Bitmap high_;
    std::array<Region, LEVEE_EDRAM_REGIONS> regions_{};
    AgeCounts ages_;
    Time longest_ = 0; ///< Longest refresh interval that applied since the oldest data was written.
    LifetimeSink lifetimes_;
    std::vector<Time> written_; ///< Write times by unit; kept only to report lifetimes.
};

template <typename Visit> void Array::for_each_valid_line(Visit visit) const
{
    Bitmap::for_each_word(0, geometry_.lines(), [&](std::uint64_t number, Bitmap::Word mask) {
        Bitmap::for_each_bit(number, lines_.word(number) & mask,
                             [&](std::uint64_t line) { visit(line, high_[line]); });
    });
}

template <typename Visit> void Array::for_each_valid_unit(std::uint64_t line, Visit visit) const
{
    const std::uint64_t units = geometry_.line_units();
    Bitmap::for_each_word(line * units, (line + 1) * units,
                          [&](std::uint64_t number, Bitmap::Word mask) {
                              Bitmap::for_each_bit(number, valid_.word(number) & mask, visit);
                          });
}

} // namespace levee::edram
