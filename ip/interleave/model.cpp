// SPDX-License-Identifier: Apache-2.0
#include "ip/interleave/model.hpp"

#include "core/units/wide.hpp"
#include "ip/interleave/uneven.hpp"

#include <bit>
#include <stdexcept>
#include <string>

namespace levee::interleave {

namespace {

/// The part of a pattern in one memory ("way"), with its weight relative to the parts in other
/// memories.
struct Weighted {
    unsigned way;
    std::uint64_t weight;
    AccessPattern pattern;
};

bool is_even(const Division& division, const AccessPattern& pattern)
{
    for (std::size_t level = 0; level < pattern.count.size(); ++level)
        if (!is_even(division, pattern, level))
            return false;
    return true;
}

/// Computes the weights if all runs have the same alignment. Each memory's part is then as regular
/// as the runs.
std::vector<Weighted> weigh_even(const Division& division, const AccessPattern& pattern)
{
    std::vector<Weighted> parts;
    for (unsigned way = 0; way < division.ways(); ++way) {
        const std::uint64_t first = division.bytes_below(way, pattern.address);
        const std::uint64_t end = division.bytes_below(way, pattern.address + pattern.run_bytes);
        if (first == end)
            continue;
        AccessPattern part = pattern;
        part.address = first;
        part.run_bytes = end - first;
        for (std::int64_t& stride : part.stride)
            stride /= static_cast<std::int64_t>(division.ways());
        parts.push_back({way, part.bytes(), part});
    }
    return parts;
}

std::vector<Weighted> weigh_uneven(const Division& division, const AccessPattern& pattern)
{
    const std::vector<Share> shares = count_shares(division, pattern);
    std::vector<Weighted> parts;
    for (unsigned way = 0; way < division.ways(); ++way)
        if (shares[way].bytes > 0)
            parts.push_back(
                {way, shares[way].bytes, stand_in(division, pattern, way, shares[way])});
    return parts;
}

/// Computes the weights for a scattered pattern. A table places its rows, so their addresses are
/// unknown here. Each memory gets a part of the address range that contains the rows.
std::vector<Weighted> weigh_scattered(const Division& division, const AccessPattern& pattern)
{
    const AccessPattern::Extent extent = *pattern.extent();
    const std::uint64_t span = extent.last - extent.first + 1;
    std::vector<Weighted> parts;
    for (unsigned way = 0; way < division.ways(); ++way) {
        const std::uint64_t first = division.bytes_below(way, extent.first);
        const std::uint64_t here = division.bytes_below(way, extent.last + 1) - first;
        if (here == 0)
            continue;
        const bool in_one = pattern.run_bytes <= division.granule();
        const double rows = static_cast<double>(pattern.runs()) *
                            (in_one ? static_cast<double>(here) / static_cast<double>(span) : 1.0);
        AccessPattern part;
        part.scattered = true;
        part.address = first;
        part.run_bytes = in_one ? pattern.run_bytes : pattern.run_bytes / division.ways();
        part.run_bytes = std::clamp<std::uint64_t>(part.run_bytes, 1, here);
        part.count[2] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rows + 0.5));
        if (part.count[2] > 1)
            part.stride[2] =
                static_cast<std::int64_t>((here - part.run_bytes) / (part.count[2] - 1));
        parts.push_back({way, here, part});
    }
    return parts;
}

std::vector<Weighted> weigh(const Division& division, const AccessPattern& pattern)
{
    if (pattern.scattered && pattern.runs() > 1)
        return weigh_scattered(division, pattern);
    return is_even(division, pattern) ? weigh_even(division, pattern)
                                      : weigh_uneven(division, pattern);
}

/// Returns floor(bytes x part / whole) without overflow.
std::uint64_t portion(std::uint64_t bytes, std::uint64_t part, std::uint64_t whole)
{
    return static_cast<std::uint64_t>(static_cast<Wide>(bytes) * part / whole);
}

} // namespace

Division::Division(unsigned ways, std::uint64_t granule) : ways_(ways), granule_(granule)
{
    if (ways == 0 || !std::has_single_bit(granule))
        throw std::invalid_argument(
            "cannot divide addresses over " + std::to_string(ways) + " memories by granules of " +
            std::to_string(granule) +
            " bytes; expected at least one memory, and a granule that is a power of two");
}

Place Division::place(std::uint64_t address) const
{
    const std::uint64_t index = address / granule_;
    return {static_cast<unsigned>(index % ways_), index / ways_ * granule_ + address % granule_};
}

std::uint64_t Division::address(const Place& place) const
{
    return (place.offset / granule_ * ways_ + place.way) * granule_ + place.offset % granule_;
}

std::uint64_t Division::bytes_below(unsigned way, std::uint64_t address) const
{
    const std::uint64_t in_period = address % period();
    const std::uint64_t before = way * granule_; // Bytes in the memories before this one, within a
                                                 // period.
    const std::uint64_t beyond = in_period > before ? in_period - before : 0;
    return address / period() * granule_ + std::min(beyond, granule_);
}

std::vector<Part> Division::divide(const AccessPattern& pattern, std::uint64_t bytes) const
{
    const std::vector<Weighted> weighted = weigh(*this, pattern.merged());
    std::uint64_t whole = 0;
    for (const Weighted& part : weighted)
        whole += part.weight;
    std::vector<Part> parts;
    std::uint64_t before = 0; // Weight of the previous parts.
    for (const Weighted& part : weighted) {
        const std::uint64_t here =
            portion(bytes, before + part.weight, whole) - portion(bytes, before, whole);
        before += part.weight;
        if (here > 0 || bytes == 0)
            parts.push_back({part.way, here, part.pattern});
    }
    return parts;
}

} // namespace levee::interleave
