// SPDX-License-Identifier: Apache-2.0
// Refresh groups of rows. The scores of the vectors in a row determine its group.
#include "ip/edram/array.hpp"
#include "ip/kv_tables/operations.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace levee::edram {

namespace {

/// Length of the common prefix of `a` and `b`, rounded down to a multiple of 8 bytes.
std::uint64_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b, std::uint64_t count)
{
    std::uint64_t equal = 0;
    while (count - equal >= 8 && std::memcmp(a + equal, b + equal, 8) == 0)
        equal += 8;
    return equal;
}

} // namespace

void Array::check_region(unsigned number, const Region& region) const
{
    const auto refuse = [number](const std::string& what) {
        throw std::invalid_argument("region " + std::to_string(number) + what);
    };
    const std::uint64_t end =
        region.offset < geometry_.side_bytes() ? geometry_.side_bytes() : geometry_.size_bytes;
    if (region.vector_bytes == 0 || region.offset > end ||
        region.vectors > (end - region.offset) / region.vector_bytes)
        refuse(" has " + std::to_string(region.vectors) + " vectors of " +
               std::to_string(region.vector_bytes) + " bytes from offset " +
               std::to_string(region.offset) + " on; expected it to end by " + std::to_string(end));
    if (region.element_bits != 16 && region.element_bits != 8 && region.element_bits != 4)
        refuse(" has elements of " + std::to_string(region.element_bits) +
               " bits; expected 16, 8 or 4");
    const std::uint64_t entries = score_count(geometry_);
    if (region.has_entries() &&
        (region.first_entry > entries || region.vectors > entries - region.first_entry))
        refuse(" has entries " + std::to_string(region.first_entry) + " to " +
               std::to_string(region.first_entry + region.vectors - 1) +
               "; expected entries below the register file's size, " + std::to_string(entries));
}

void Array::set_region(unsigned number, const Region& region, Time now)
{
    if (region.vectors > 0)
        check_region(number, region);
    refresh_.settle(now);
    const Region old = regions_[number];
    regions_[number] = region;
    set_element_bits(old, usual_element_bits);
    set_element_bits(region, region.element_bits);
    for (const Region& changed : {old, region})
        regroup_bytes(changed.offset, changed.vectors * changed.vector_bytes, now);
}

/// Sets the element width of the units in the region. If the region is on both sides, sets it on
/// both.
void Array::set_element_bits(const Region& region, std::uint64_t bits)
{
    const std::uint64_t bytes = region.vectors * region.vector_bytes;
    if (!cells_ || bytes == 0)
        return;
    const auto set = [&](std::uint64_t offset) {
        cells_->set_element_bits(offset / unit_bytes, (offset + bytes - 1) / unit_bytes + 1,
                                 static_cast<unsigned>(bits));
    };
    set(region.offset);
    if (geometry_.sides() > 1 && region.offset < geometry_.side_bytes())
        set(region.offset + geometry_.side_bytes());
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
            const std::uint64_t vector = first + i - region.first_entry; // Wraps to a huge value if
                                                                         // below the first entry.
            if (first + i >= region.first_entry && vector < region.vectors)
                regroup_bytes(region.offset + vector * region.vector_bytes, region.vector_bytes,
                              now);
        }
    }
}

/// Moves the rows of [offset, offset + bytes) to the refresh groups that their vectors' scores
/// select. For vectors in the first side, also moves the second side's rows at the same offset.
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

/// Whether a row belongs to the high group: at least one of its vectors has a high score.
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
        if (!region.has_entries())
            return true;
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

/// Tells the cells when the rows of a valid line are refreshed next.
void Array::reschedule(std::uint64_t line)
{
    if (!cells_)
        return;
    for (const Half half : halves) {
        const Time due = refresh_.due(line, half, group_of(high_[line], half));
        for_each_valid_unit(line, [&](std::uint64_t unit) { cells_->set_due(unit, half, due); });
    }
}

} // namespace levee::edram
