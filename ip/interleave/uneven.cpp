// SPDX-License-Identifier: Apache-2.0
#include "ip/interleave/uneven.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace levee::interleave {

namespace {

constexpr std::size_t levels = 3;

std::uint64_t magnitude(std::int64_t stride)
{
    const auto bits =
        static_cast<std::uint64_t>(stride); // The most negative value has no positive counterpart.
    return stride < 0 ? 0 - bits : bits;
}

/// Returns the pattern with only one iteration of each even loop.
AccessPattern uneven_levels(const Division& division, AccessPattern pattern)
{
    for (std::size_t level = 0; level < levels; ++level)
        if (is_even(division, pattern, level))
            pattern.count[level] = 1;
    return pattern;
}

/// Greatest common divisor of the period and the distances between runs.
std::uint64_t common_unit(const Division& division, const AccessPattern& pattern)
{
    std::uint64_t unit = division.period();
    for (std::size_t level = 0; level < levels; ++level)
        if (pattern.count[level] > 1)
            unit = std::gcd(unit, magnitude(pattern.stride[level]));
    return unit;
}

/// Sums each memory's share of runs that all have one length.
class ShareCounter {
public:
    ShareCounter(const Division& division, std::uint64_t run_bytes)
        : granule_(division.granule()), granule_bits_(std::countr_zero(granule_)),
          period_(division.period()), whole_(run_bytes / period_), rest_(run_bytes % period_),
          shares_(division.ways())
    {
    }
    /// Adds `times` runs that begin at `address`, or at a multiple of the period after `address`.
    void add(std::uint64_t address, std::uint64_t times)
    {
        if (whole_ > 0)
            for (Share& share : shares_)
                share = {share.bytes + whole_ * granule_ * times, share.runs + times};
        const std::uint64_t phase = address % period_;
        const std::size_t first = phase >> granule_bits_;
        std::size_t way = first;
        std::uint64_t room = granule_ - (phase & (granule_ - 1));
        bool is_counted = whole_ > 0; // This run has already been counted for this memory.
        for (std::uint64_t rest = rest_; rest > 0; room = granule_) {
            const std::uint64_t piece = std::min(rest, room);
            shares_[way].bytes += piece * times;
            shares_[way].runs += is_counted ? 0 : times;
            rest -= piece;
            way = way + 1 == shares_.size() ? 0 : way + 1;
            is_counted |= way == first;
        }
    }
    [[nodiscard]] const std::vector<Share>& shares() const { return shares_; }

private:
    std::uint64_t granule_;
    int granule_bits_;
    std::uint64_t period_;
    std::uint64_t whole_; ///< Whole periods in a run; each has one granule in every memory.
    std::uint64_t rest_;  ///< Bytes of a run that remain after its whole periods.
    std::vector<Share> shares_;
};

/// Repeats runs on the starting places of one period, which form a ring. `before` has the number of
/// runs that begin at each place. In the result, each run occurs `count` times, `step` places
/// apart.
std::vector<std::uint64_t> repeated(const std::vector<std::uint64_t>& before, std::uint64_t step,
                                    std::uint64_t count)
{
    const std::uint64_t places = before.size();
    const std::uint64_t cycles = std::gcd(places, step);
    const std::uint64_t length = places / cycles;
    const std::uint64_t rounds = count / length;
    const std::uint64_t rest = count % length;
    std::vector<std::uint64_t> after(places), cycle(length);
    const auto next = [&](std::uint64_t at) {
        return at + step < places ? at + step : at + step - places;
    };
    for (std::uint64_t begin = 0; begin < cycles; ++begin) {
        std::uint64_t at = begin;
        for (std::uint64_t& runs : cycle) {
            runs = before[at];
            at = next(at);
        }
        const std::uint64_t all = std::accumulate(cycle.begin(), cycle.end(), std::uint64_t{0});
        // Sum over the last `rest` places, including the current one.
        std::uint64_t latest = 0;
        for (std::uint64_t i = 0; i < rest; ++i)
            latest += cycle[i == 0 ? 0 : length - i];
        for (std::uint64_t i = 0; i < length; ++i) {
            after[at] = rounds * all + latest;
            at = next(at);
            const std::uint64_t coming = i + 1 < length ? i + 1 : 0;
            latest += cycle[coming] - cycle[coming < rest ? coming + length - rest : coming - rest];
        }
    }
    return after;
}

/// Returns the number of runs that begin at each place of a period. Places are `unit` bytes apart;
/// the first is the lowest place at which a run can begin.
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

/// Returns the iteration counts of the pattern's loops, reduced to about `runs` runs in total. The
/// innermost loop that is not even is shortened.
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
    ShareCounter counter(division, uneven.run_bytes);
    if (uneven.runs() <= division.period() / unit) {
        uneven.for_each_run([&](std::uint64_t address) { counter.add(address, 1); });
    } else {
        const std::vector<std::uint64_t> runs = runs_by_place(division, uneven, unit);
        for (std::size_t i = 0; i < runs.size(); ++i)
            counter.add(i * unit + uneven.address % unit, runs[i]);
    }
    const std::uint64_t times = pattern.runs() / uneven.runs();
    std::vector<Share> shares = counter.shares();
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
    // Distances between runs are multiples of `apart`. Boundaries between memories are at multiples
    // of `unit`.
    const std::uint64_t apart = std::gcd(common_unit(division, pattern), division.granule());
    const std::uint64_t unit = std::gcd(apart, std::gcd(pattern.address, pattern.run_bytes));
    AccessPattern part;
    part.count = thinned_counts(division, pattern, share.runs);
    part.run_bytes = (share.bytes + share.runs * unit / 2) / share.runs / unit * unit;
    part.run_bytes = std::clamp(part.run_bytes, unit, end - first);
    std::uint64_t backward = 0, forward = part.run_bytes; // Greatest distances, in both directions,
                                                          // from the start of the first run.
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

} // namespace levee::interleave
