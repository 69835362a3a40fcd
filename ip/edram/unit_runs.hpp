// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/bitmap.hpp"
#include "ip/edram/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace levee::edram {

/// Calls visit(unit, bytes) for each unit of a range. `bytes` has a bit for each byte of the unit,
/// set if the byte is in the range.
template <typename Visit>
void for_each_unit(std::uint64_t address, std::uint64_t bytes, Visit visit)
{
    const std::uint64_t end = address + bytes;
    while (address < end) {
        const std::uint64_t unit = address / unit_bytes;
        const auto from = static_cast<unsigned>(address % unit_bytes);
        const std::uint64_t next = std::min((unit + 1) * unit_bytes, end);
        const auto count = static_cast<unsigned>(next - address);
        visit(unit, (0xFFFF'FFFFu >> (unit_bytes - count)) << from);
        address = next;
    }
}

/// Calls part(unit, bytes) for each unit that is partly in a range, and whole(first, end) for the
/// units that are completely in it.
template <typename Part, typename Whole>
void split_units(std::uint64_t address, std::uint64_t bytes, Part part, Whole whole)
{
    const std::uint64_t end = address + bytes;
    const std::uint64_t first = (address + unit_bytes - 1) / unit_bytes;
    const std::uint64_t last = end / unit_bytes;
    if (first >= last) {
        for_each_unit(address, bytes, part);
        return;
    }
    for_each_unit(address, first * unit_bytes - address, part);
    whole(first, last);
    for_each_unit(last * unit_bytes, end - last * unit_bytes, part);
}

/// Collects consecutive lines of one kind (high or low) and calls take(first, lines, high) for each
/// run of such lines.
template <typename Take> class LineRuns {
public:
    explicit LineRuns(Take take) : take_(take) {}

    /// Adds the lines that are set in `bits`, which is word `number` of a bitmap. `high` has the
    /// kind of each line.
    void add(std::uint64_t number, Bitmap::Word bits, Bitmap::Word high)
    {
        while (bits != 0) {
            const auto at = static_cast<unsigned>(std::countr_zero(bits));
            const bool is_high = (high >> at & 1) != 0;
            const Bitmap::Word alike = (is_high ? bits & high : bits & ~high) >> at;
            const auto lines = static_cast<unsigned>(std::countr_one(alike));
            extend(number * Bitmap::word_bits + at, lines, is_high);
            if (at + lines == Bitmap::word_bits)
                return;
            bits = bits >> (at + lines) << (at + lines);
        }
    }
    /// Call after the last line.
    void flush()
    {
        if (lines_ > 0)
            take_(first_, lines_, high_);
        lines_ = 0;
    }

private:
    void extend(std::uint64_t first, std::uint64_t lines, bool high)
    {
        if (lines_ > 0 && first == first_ + lines_ && high == high_) {
            lines_ += lines;
            return;
        }
        flush();
        first_ = first;
        lines_ = lines;
        high_ = high;
    }

    Take take_;
    std::uint64_t first_ = 0, lines_ = 0;
    bool high_ = false;
};

} // namespace levee::edram
