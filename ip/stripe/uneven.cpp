// SPDX-License-Identifier: Apache-2.0
#include "ip/stripe/uneven.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace levee::stripe {

namespace {

constexpr std::size_t levels = 3;

std::uint64_t magnitude(std::int64_t stride)
{
    return static_cast<std::uint64_t>(std::abs(stride));
}

/// The runs of one iteration of each even level.
AccessPattern uneven_levels(const Division& division, AccessPattern pattern)
{
    for (std::size_t level = 0; level < levels; ++level)
        if (is_even(division, pattern, level))
            pattern.count[level] = 1;
    return pattern;
}

/// The greatest number that divides the period and every distance between two runs.
std::uint64_t common_unit(const Division& division, const AccessPattern& pattern)
{
    std::uint64_t unit = division.period();
    for (std::size_t level = 0; level < levels; ++level)
        if (pattern.count[level] > 1)
            unit = std::gcd(unit, magnitude(pattern.stride[level]));
    return unit;
}

void add_run(const Division& division, std::uint64_t begin, std::uint64_t run_bytes,
             std::uint64_t times, std::vector<Share>& shares)
{
    for (unsigned way = 0; way < division.ways(); ++way) {
        const std::uint64_t here =
            division.bytes_below(way, begin + run_bytes) - division.bytes_below(way, begin);
        shares[way].bytes += here * times;
        shares[way].runs += here > 0 ? times : 0;
    }
}

/// `before` counts runs by where they begin in a ring of places; the result, with each of them
/// repeated `count` times, `step` places apart.
std::vector<std::uint64_t> repeated(const std::vector<std::uint64_t>& before, std::uint64_t step,
                                    std::uint64_t count)
{
    const std::uint64_t places = before.size();
    const std::uint64_t cycles = std::gcd(places, step);
    const std::uint64_t length = places / cycles;
    const std::uint64_t rounds = count / length;
    const std::uint64_t rest = count % length;
    std::vector<std::uint64_t> after(places);
    for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
        const auto at = [&](std::uint64_t i) { return (cycle + i % length * step) % places; };
        std::uint64_t all = 0, latest = 0; // of one round; of the `rest` places up to this one
        for (std::uint64_t i = 0; i < length; ++i)
            all += before[at(i)];
        for (std::uint64_t i = 0; i < rest; ++i)
            latest += before[at(length - i)];
        for (std::uint64_t i = 0; i < length; ++i) {
            after[at(i)] = rounds * all + latest;
            if (rest > 0)
                latest += before[at(i + 1)] - before[at(i + 1 + length - rest)];
        }
    }
    return after;
}

/// How many runs begin at each multiple of `unit`, less the first run's remainder, of a period.
std::vector<std::uint64_t> runs_by_place(const Division& division, const AccessPattern& pattern,
                                         std::uint64_t unit)
{
    const std::uint64_t period = division.period();
    std::vector<std::uint64_t> runs(period / unit);
    runs[pattern.address % period / unit] = 1;
    for (std::size_t level = 0; level < levels; ++level) {
        if (pattern.count[level] == 1)
            continue;
        const std::uint64_t ahead = magnitude(pattern.stride[level]) % period;
        const std::uint64_t step = pattern.stride[level] < 0 ? period - ahead : ahead;
        runs = repeated(runs, step / unit % runs.size(), pattern.count[level]);
    }
    return runs;
}

/// The pattern's loops, of which the innermost that comes to different ways has no more iterations
/// than make `runs` in all.
std::array<std::uint64_t, levels> thinned_counts(const Division& division,
                                                 const AccessPattern& pattern, std::uint64_t runs)
{
    std::size_t level = levels - 1;
    while (is_even(division, pattern, level))
        --level;
    auto count = pattern.count;
    const std::uint64_t others = pattern.runs() / count[level];
    count[level] = std::clamp<std::uint64_t>((runs + others / 2) / others, 1, count[level]);
    return count;
}

} // namespace

bool is_even(const Division& division, const AccessPattern& pattern, std::size_t level)
{
    return pattern.count[level] == 1 || magnitude(pattern.stride[level]) % division.period() == 0;
}

std::vector<Share> count_shares(const Division& division, const AccessPattern& pattern)
{
    const AccessPattern uneven = uneven_levels(division, pattern);
    const std::uint64_t unit = common_unit(division, uneven);
    std::vector<Share> shares(division.ways());
    if (uneven.runs() <= division.period() / unit) {
        uneven.for_each_run([&](std::uint64_t address) {
            add_run(division, address, uneven.run_bytes, 1, shares);
        });
    } else {
        const std::vector<std::uint64_t> runs = runs_by_place(division, uneven, unit);
        for (std::size_t i = 0; i < runs.size(); ++i)
            add_run(division, i * unit + uneven.address % unit, uneven.run_bytes, runs[i], shares);
    }
    const std::uint64_t times = pattern.runs() / uneven.runs();
    for (Share& share : shares)
        share = {share.bytes * times, share.runs * times};
    return shares;
}

AccessPattern stand_in(const Division& division, const AccessPattern& pattern, unsigned way,
                       const Share& share)
{
    const AccessPattern::Extent extent = *pattern.extent();
    const std::uint64_t first = division.bytes_below(way, extent.first);
    const std::uint64_t end = division.bytes_below(way, extent.last + 1);
    // Runs lie multiples of `apart` from each other, and are cut at multiples of `unit`.
    const std::uint64_t apart = std::gcd(common_unit(division, pattern), division.granule());
    const std::uint64_t unit = std::gcd(apart, std::gcd(pattern.address, pattern.run_bytes));
    AccessPattern part;
    part.count = thinned_counts(division, pattern, share.runs);
    part.run_bytes = (share.bytes + share.runs * unit / 2) / share.runs / unit * unit;
    part.run_bytes = std::clamp(part.run_bytes, unit, end - first);
    std::uint64_t backward = 0, forward = part.run_bytes; // from where the first run begins
    for (std::size_t level = 0; level < levels; ++level) {
        if (part.count[level] == 1)
            continue;
        const std::uint64_t gaps = part.count[level] - 1;
        const std::uint64_t room = end - first - backward - forward;
        const std::uint64_t wanted = magnitude(pattern.stride[level]) * pattern.count[level] /
                                     part.count[level] / division.ways();
        const std::uint64_t stride = std::min(wanted, room / gaps) / unit * unit;
        const bool goes_back = pattern.stride[level] < 0;
        part.stride[level] = static_cast<std::int64_t>(goes_back ? -stride : stride);
        (goes_back ? backward : forward) += stride * gaps;
    }
    const std::uint64_t begin = division.bytes_below(way, pattern.address);
    part.address =
        std::clamp(begin + (pattern.address - begin) % apart, first + backward, end - forward);
    return part;
}

} // namespace levee::stripe
