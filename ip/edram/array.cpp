// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/array.hpp"

#include "ip/edram/unit_runs.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace levee::edram {

namespace {

constexpr Time microsecond = 1'000'000;

const Geometry& checked(const Geometry& geometry)
{
    if (const std::string fault = geometry.fault(); !fault.empty())
        throw std::invalid_argument("eDRAM: " + fault);
    return geometry;
}

} // namespace

Array::Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes)
    : Array(config, seed, bytes,
            std::make_unique<Refresh>(checked(config.geometry), config.refresh))
{
}

Array::Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes,
             std::unique_ptr<Refresh> own)
    : Array(config, seed, bytes, *own)
{
    own_refresh_ = std::move(own);
}

Array::Array(const ArrayConfig& config, CellSeed seed, std::uint8_t* bytes, Refresh& refresh)
    : geometry_(checked(config.geometry)), scores_(bytes + geometry_.size_bytes), refresh_(refresh),
      valid_(geometry_.units(), false), part_(geometry_.units(), false),
      wanted_(geometry_.units(), 0), lines_(geometry_.lines(), false),
      high_(geometry_.lines(), true)
{
    if (const std::uint64_t units = geometry_.line_units(); std::has_single_bit(units))
        line_shift_ = static_cast<unsigned>(std::countr_zero(units));
    if (config.retention)
        cells_.emplace(geometry_, *config.retention, seed, bytes);
    bound_ages();
}

/// Updates the greatest age that a row can reach between two refreshes. This is the longest refresh
/// interval that has applied since the oldest data was written.
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

/// Reads and restores the other valid units of the first and last line of the units [first, end).
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
    // Cells of the unit that are not written are read and written back.
    for (const Half half : halves)
        (void)cells_->read(unit, half, rhythm(group_of(high_[line_of(unit)], half)), now);
    cells_->restart_part(unit, bytes, now);
}

/// Records a write of all bytes of the units [first, end). Only the model of failing cells needs a
/// loop over units.
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
        // If no cell can fail, only the sampled rows (AgeCounts::every) need work.
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

/// Invalidates the lines with the units [first, end) that no longer hold valid data. Only the first
/// and the last line may still hold some.
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

/// Reports the lifetimes of the data in these units. Adjacent units with the same write time share
/// one report.
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
    refresh_.set_interval(group, interval,
                          [&](const Refresh::VisitLine& visit) { for_each_valid_line(visit); });
    for_each_valid_line([&](std::uint64_t line, bool) { reschedule(line); });
    bound_ages();
}

} // namespace levee::edram
