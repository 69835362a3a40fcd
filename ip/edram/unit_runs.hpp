// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/edram/bitmap.hpp"
#include "ip/edram/geometry.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace levee::edram {

/// Calls visit(unit, bytes) for each unit of a range; `bytes` has a bit for each byte inside.
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

/// Calls part(unit, bytes) for each unit that lies partly in a range, whole(first, end) for the
/// units that lie in it entirely.
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

/// Gathers units of one kind into runs and calls take(first, units, high) for each.
template <typename Take> class UnitRuns {
public:
    explicit UnitRuns(Take take) : take_(take) {}
    ~UnitRuns() { flush(); }
    UnitRuns(const UnitRuns&) = delete;
    UnitRuns& operator=(const UnitRuns&) = delete;

    /// Adds the units of `bits`, word `number`; `high` gives the kind of each.
    void add(std::uint64_t number, Bitmap::Word bits, Bitmap::Word high)
    {
        while (bits != 0) {
            const auto at = static_cast<unsigned>(std::countr_zero(bits));
            const bool is_high = (high >> at & 1) != 0;
            const Bitmap::Word alike = (is_high ? bits & high : bits & ~high) >> at;
            const auto units = static_cast<unsigned>(std::countr_one(alike));
            extend(number * Bitmap::word_bits + at, units, is_high);
            if (at + units == Bitmap::word_bits)
                return;
            bits = bits >> (at + units) << (at + units);
        }
    }

private:
    void extend(std::uint64_t first, std::uint64_t units, bool high)
    {
        if (units_ > 0 && first == first_ + units_ && high == high_) {
            units_ += units;
            return;
        }
        flush();
        first_ = first;
        units_ = units;
        high_ = high;
    }
    void flush()
    {
        if (units_ > 0)
            take_(first_, units_, high_);
    }

    Take take_;
    std::uint64_t first_ = 0, units_ = 0;
    bool high_ = false;
};

} // namespace levee::edram
