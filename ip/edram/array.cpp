// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/array.hpp"

#include "ip/edram/unit_runs.hpp"
#include "ip/kv_tables/operations.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::edram {

namespace {

constexpr Time microsecond = 1'000'000;

/// Length of the common prefix of `a` and `b`, rounded down to a multiple of 8 bytes.
std::uint64_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t count)
{
    std::uint64_t equal = 0;
    while (count - equal >= 8 && std::memcmp(a + equal, b + equal, 8) == 0)
        equal += 8;
    return equal;
}

const Geometry& checked(const Geometry& geometry)
{
    if (const std::string fault = geometry.fault(); !fault.empty())
        throw std::invalid_argument("eDRAM: " + fault);
    return geometry;
}

} // namespace

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

Array::Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes)
    : geometry_(checked(config.geometry)), scores_(bytes + geometry_.size_bytes),
      refresh_(geometry_, config.refresh), valid_(geometry_.units(), false),
      part_(geometry_.units(), false), wanted_(geometry_.units(), 0),
      lines_(geometry_.lines(), false), high_(geometry_.lines(), true)
{
    if (config.retention)
        cells_.emplace(geometry_, *config.retention, seed, bytes);
    bound_ages();
}

/// Bounds the gap between two restorations of a row: the longest interval in force since it was
/// written.
void Array::bound_ages()
{
    const GroupCounts& valid = refresh_.valid_rows();
    if (std::all_of(valid.begin(), valid.end(), [](std::uint64_t rows) { return rows == 0; }))
        longest_ = 0;
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        longest_ =
            std::max(longest_, refresh_.interval(group) == 0 ? never : refresh_.interval(group));
    if (cells_)
        cells_->set_oldest(longest_);
}

void Array::observe_failures(FailureSink sink)
{
    if (cells_)
        cells_->observe(std::move(sink));
}

void Array::observe_lifetimes(LifetimeSink sink)
{
    lifetimes_ = std::move(sink);
    written_.assign(geometry_.units(), 0);
}

std::uint32_t Array::wanted(std::uint64_t unit) const
{
    if (!valid_[unit])
        return 0;
    return part_[unit] ? wanted_[unit] : whole;
}

void Array::want(std::uint64_t unit, std::uint32_t bytes)
{
    valid_.set(unit, bytes != 0);
    part_.set(unit, bytes != 0 && bytes != whole);
    wanted_[unit] = bytes;
}

void Array::write(std::uint64_t address, std::uint64_t bytes, Time now)
{
    refresh_.settle(now);
    const std::uint64_t first = address / unit_bytes;
    const std::uint64_t end = (address + bytes - 1) / unit_bytes + 1;
    if (cells_)
        restore_rest(first, end, now);
    validate(first, end);
    split_units(
        address, bytes,
        [&](std::uint64_t unit, std::uint32_t mask) { write_unit(unit, mask, now); },
        [&](std::uint64_t from, std::uint64_t to) { write_whole(from, to, now); });
}

/// Reads and restores what the rows of the units [first, end) hold besides them.
void Array::restore_rest(std::uint64_t first, std::uint64_t end, Time now)
{
    const auto restore = [&](std::uint64_t unit) {
        for (const Half half : halves)
            cells_->restore(unit, half, rhythm(group_of(high_[line_of(unit)], half)), now);
    };
    for_each_valid_unit(line_of(first), [&](std::uint64_t unit) {
        if (unit < first || unit >= end)
            restore(unit);
    });
    if (line_of(end - 1) != line_of(first))
        for_each_valid_unit(line_of(end - 1), [&](std::uint64_t unit) {
            if (unit >= end)
                restore(unit);
        });
}

/// Makes the rows of the units [first, end) valid.
void Array::validate(std::uint64_t first, std::uint64_t end)
{
    LineRuns added([&](std::uint64_t line, std::uint64_t lines, bool high) {
        refresh_.add(line, lines, high);
    });
    Bitmap::for_each_word(line_of(first), line_of(end - 1) + 1,
                          [&](std::uint64_t number, Bitmap::Word mask) {
                              added.add(number, mask & ~lines_.word(number), high_.word(number));
                              lines_.word(number) |= mask;
                          });
    added.flush();
}

void Array::write_unit(std::uint64_t unit, std::uint32_t bytes, Time now)
{
    const std::uint32_t before = wanted(unit);
    want(unit, before | bytes);
    if (!written_.empty())
        written_[unit] = now;
    if (!cells_)
        return;
    if ((before & ~bytes) == 0) {
        restart(unit, now);
        return;
    }
    // The rest of the unit is read and written back.
    for (const Half half : halves)
        (void)cells_->read(unit, half, rhythm(group_of(high_[line_of(unit)], half)), now);
    cells_->restart_part(unit, bytes, now);
}

/// Accounts a write of all bytes of the units [first, end); per unit, the only cost is that of its
/// cells.
void Array::write_whole(std::uint64_t first, std::uint64_t end, Time now)
{
    Bitmap::for_each_word(first, end, [&](std::uint64_t number, Bitmap::Word mask) {
        valid_.word(number) |= mask;
        part_.word(number) &= ~mask;
    });
    if (!written_.empty())
        std::fill(written_.begin() + static_cast<std::ptrdiff_t>(first),
                  written_.begin() + static_cast<std::ptrdiff_t>(end), now);
    if (cells_)
        for (std::uint64_t unit = first; unit < end; ++unit)
            restart(unit, now);
}

void Array::restart(std::uint64_t unit, Time now)
{
    const std::uint64_t line = line_of(unit);
    const bool high = high_[line];
    cells_->restart(unit, now, refresh_.due(line, Half::Msb, group_of(high, Half::Msb)),
                    refresh_.due(line, Half::Lsb, group_of(high, Half::Lsb)));
}

void Array::read(std::uint64_t address, std::uint64_t bytes, Time now)
{
    if (!cells_)
        return;
    const std::uint64_t end = (address + bytes - 1) / unit_bytes + 1;
    for (std::uint64_t unit = address / unit_bytes; unit < end;) {
        const std::uint64_t block = unit / Cells::block_units;
        const std::uint64_t block_end = std::min(end, (block + 1) * Cells::block_units);
        // Where nothing can fail, only rows whose ages are counted need work.
        const std::uint64_t step = cells_->calm(block) ? AgeCounts::every : 1;
        for (unit = (unit + step - 1) / step * step; unit < block_end; unit += step)
            if (valid_[unit])
                read_unit(unit, now);
        unit = block_end;
    }
}

void Array::read_unit(std::uint64_t unit, Time now)
{
    for (const Half half : halves) {
        const unsigned group = group_of(high_[line_of(unit)], half);
        const Time age = cells_->read(unit, half, rhythm(group), now);
        if (unit % AgeCounts::every == 0)
            count_age(group, age);
    }
}

void Array::count_age(unsigned group, Time age)
{
    const auto bucket = static_cast<unsigned>(std::bit_width(age / microsecond));
    ++ages_.rows[group][std::min(bucket, AgeCounts::buckets - 1)];
    ages_.oldest[group] = std::max(ages_.oldest[group], age);
}

void Array::discard(std::uint64_t address, std::uint64_t bytes, Time now)
{
    refresh_.settle(now);
    if (lifetimes_)
        report_lifetimes(address, bytes, now);
    split_units(
        address, bytes, [&](std::uint64_t unit, std::uint32_t mask) { discard_unit(unit, mask); },
        [&](std::uint64_t first, std::uint64_t end) { discard_whole(first, end); });
    invalidate(address / unit_bytes, (address + bytes - 1) / unit_bytes + 1);
}

void Array::discard_unit(std::uint64_t unit, std::uint32_t bytes)
{
    want(unit, wanted(unit) & ~bytes);
}

void Array::discard_whole(std::uint64_t first, std::uint64_t end)
{
    Bitmap::for_each_word(first, end, [&](std::uint64_t number, Bitmap::Word mask) {
        valid_.word(number) &= ~mask;
        part_.word(number) &= ~mask;
    });
}

bool Array::holds_data(std::uint64_t line) const
{
    bool holds = false;
    for_each_valid_unit(line, [&](std::uint64_t) { holds = true; });
    return holds;
}

/// Makes those rows of the units [first, end), which hold no more data but at the edges, invalid
/// that hold none.
void Array::invalidate(std::uint64_t first, std::uint64_t end)
{
    std::uint64_t line = line_of(first);
    std::uint64_t last = line_of(end - 1) + 1;
    if (holds_data(line))
        ++line;
    if (line < last && holds_data(last - 1))
        --last;
    LineRuns removed([&](std::uint64_t at, std::uint64_t lines, bool high) {
        refresh_.remove(at, lines, high);
    });
    Bitmap::for_each_word(line, last, [&](std::uint64_t number, Bitmap::Word mask) {
        removed.add(number, mask & lines_.word(number), high_.word(number));
        lines_.word(number) &= ~mask;
    });
    removed.flush();
}

void Array::forget(Time now)
{
    discard(0, geometry_.size_bytes, now);
}

/// Records the lifetimes of units; those written at the same time make one record.
void Array::report_lifetimes(std::uint64_t address, std::uint64_t bytes, Time now) const
{
    Lifetime open{0, 0, 0, now};
    const auto close = [&] {
        if (open.bytes > 0)
            lifetimes_(open);
        open.bytes = 0;
    };
    for_each_unit(address, bytes, [&](std::uint64_t unit, std::uint32_t mask) {
        const std::uint32_t held = wanted(unit) & mask;
        const std::uint64_t at =
            unit * unit_bytes + static_cast<unsigned>(std::countr_zero(held | 1u << 31));
        if (held == 0 || written_[unit] != open.written || at != open.offset + open.bytes)
            close();
        if (held == 0)
            return;
        if (open.bytes == 0)
            open = {at, 0, written_[unit], now};
        open.bytes += static_cast<unsigned>(std::popcount(held));
    });
    close();
}

void Array::set_interval(unsigned group, Time interval, Time now)
{
    refresh_.settle(now);
    if (cells_)
        for_each_valid_line([&](std::uint64_t line, bool high) {
            for_each_valid_unit(line, [&](std::uint64_t unit) {
                for (const Half half : halves)
                    cells_->settle(unit, half, rhythm(group_of(high, half)), now);
            });
        });
    refresh_.set_interval(group, interval, [&](auto visit) { for_each_valid_line(visit); });
    for_each_valid_line([&](std::uint64_t line, bool) { reschedule(line); });
    bound_ages();
}

/// Passes the next refresh times of a valid line's rows to its cells.
void Array::reschedule(std::uint64_t line)
{
    if (!cells_)
        return;
    for (const Half half : halves) {
        const Time due = refresh_.due(line, half, group_of(high_[line], half));
        for_each_valid_unit(line, [&](std::uint64_t unit) { cells_->set_due(unit, half, due); });
    }
}

void Array::set_region(unsigned number, const Region& region, Time now)
{
    if (region.vectors > 0) {
        const std::uint64_t end =
            region.offset < geometry_.side_bytes() ? geometry_.side_bytes() : geometry_.size_bytes;
        if (region.vector_bytes == 0 || region.offset > end ||
            region.vectors > (end - region.offset) / region.vector_bytes)
            throw std::invalid_argument("region " + std::to_string(number) + " of " +
                                        std::to_string(region.vectors) + " vectors of " +
                                        std::to_string(region.vector_bytes) + " bytes from " +
                                        std::to_string(region.offset) +
                                        " on; expected it to end by " + std::to_string(end));
        const std::uint64_t entries = score_count(geometry_);
        if (region.first_entry > entries || region.vectors > entries - region.first_entry)
            throw std::invalid_argument("region " + std::to_string(number) + " has entries " +
                                        std::to_string(region.first_entry) + " to " +
                                        std::to_string(region.first_entry + region.vectors - 1) +
                                        "; the register file has " + std::to_string(entries));
    }
    refresh_.settle(now);
    const Region old = regions_[number];
    regions_[number] = region;
    for (const Region& changed : {old, region})
        regroup_bytes(changed.offset, changed.vectors * changed.vector_bytes, now);
}

void Array::write_scores(std::uint64_t first, const std::uint8_t* values, std::uint64_t count,
                         Time now)
{
    refresh_.settle(now);
    for (std::uint64_t i = 0; i < count; ++i) {
        i += equal_bytes(scores_ + first + i, values + i, count - i);
        if (i == count)
            break;
        std::uint8_t& entry = scores_[first + i];
        const bool changes = ((entry ^ values[i]) & LEVEE_SE_VIEW_HIGH) != 0;
        entry = values[i];
        if (!changes)
            continue;
        for (const Region& region : regions_) {
            const std::uint64_t vector = first + i - region.first_entry; // huge if below
            if (first + i >= region.first_entry && vector < region.vectors)
                regroup_bytes(region.offset + vector * region.vector_bytes, region.vector_bytes,
                              now);
        }
    }
}

/// Moves the rows of a region's vectors to the refresh groups of their scores.
void Array::regroup_bytes(std::uint64_t offset, std::uint64_t bytes, Time now)
{
    if (bytes == 0)
        return;
    regroup_lines(offset, bytes, now);
    if (geometry_.sides() > 1 && offset < geometry_.side_bytes())
        regroup_lines(offset + geometry_.side_bytes(), bytes, now);
}

void Array::regroup_lines(std::uint64_t offset, std::uint64_t bytes, Time now)
{
    const std::uint64_t end = (offset + bytes - 1) / geometry_.line_bytes() + 1;
    for (std::uint64_t line = offset / geometry_.line_bytes(); line < end; ++line)
        regroup(line, now);
}

void Array::regroup(std::uint64_t line, Time now)
{
    const bool high = wants_high(line);
    if (high == high_[line])
        return;
    if (lines_[line]) {
        if (cells_)
            for_each_valid_unit(line, [&](std::uint64_t unit) {
                for (const Half half : halves)
                    cells_->settle(unit, half, rhythm(group_of(!high, half)), now);
            });
        refresh_.move(line, high);
    }
    high_.set(line, high);
    if (lines_[line])
        reschedule(line);
}

/// A row of several vectors has the interval of the strictest.
bool Array::wants_high(std::uint64_t line) const
{
    bool belongs = false;
    for (const Region& region : regions_) {
        if (region.vectors == 0)
            continue;
        const bool both_sides = region.offset < geometry_.side_bytes();
        const std::uint64_t address = line * geometry_.line_bytes();
        const std::uint64_t at = both_sides ? address % geometry_.side_bytes() : address;
        const std::uint64_t first = std::max(at, region.offset);
        const std::uint64_t end = std::min(at + geometry_.line_bytes(),
                                           region.offset + region.vectors * region.vector_bytes);
        if (first >= end)
            continue;
        belongs = true;
        const std::uint64_t last = (end - 1 - region.offset) / region.vector_bytes;
        for (std::uint64_t i = (first - region.offset) / region.vector_bytes; i <= last; ++i)
            if (entry_is_high(region.first_entry + i))
                return true;
    }
    return !belongs;
}

bool Array::entry_is_high(std::uint64_t entry) const
{
    return (scores_[entry] & LEVEE_SE_VIEW_HIGH) != 0;
}

} // namespace levee::edram
