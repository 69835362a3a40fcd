// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/canonical.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <functional>

namespace levee::dram {

namespace {

// Granularity of the canonical form: smaller differences have the same price.
constexpr std::uint64_t endless = std::uint64_t{1} << 40;
constexpr std::uint64_t long_run_bursts = 512;
constexpr std::uint64_t sampled_bursts = 4096; ///< per channel: more than a schedule takes
constexpr unsigned significant_bits = 2;
constexpr std::uint64_t brief_bursts = 128; ///< per channel
/// Turns of a stream that takes all the bandwidth it gets; other streams have one turn.
constexpr unsigned full_turns = 4;

/// Distance in bytes at which addresses return to the same channel and bank, in another row, if
/// rows are not hashed into the bank. Within this distance, a stream's place decides which other
/// streams it meets.
std::uint64_t bank_sweep(const Parameters& parameters)
{
    std::uint64_t bytes = parameters.burst_bytes();
    for (const AddressField& part : parameters.mapping.low_to_high) {
        if (part.field == Field::Row)
            break;
        bytes *= part.values;
    }
    return bytes;
}

/// Rounds `value` to its leading bits, to nearest.
std::uint64_t rounded(std::uint64_t value)
{
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= significant_bits + 1)
        return value;
    const unsigned drop = width - significant_bits - 1;
    return (value + (std::uint64_t{1} << drop >> 1)) >> drop << drop;
}

std::uint64_t bursts_touched(std::uint64_t address, std::uint64_t bytes, std::uint64_t burst)
{
    return (address + bytes - 1) / burst - address / burst + 1;
}

CanonicalStream sequential(const AccessPattern& run, Direction direction, std::uint64_t burst)
{
    CanonicalStream stream;
    stream.direction = direction;
    stream.pattern.run_bytes = endless;
    const std::uint64_t bursts = bursts_touched(run.address, run.run_bytes, burst);
    stream.burst_factor = static_cast<double>(bursts * burst) / static_cast<double>(run.run_bytes);
    return stream;
}

CanonicalStream scattered(const AccessPattern& pattern, Direction direction, std::uint64_t burst)
{
    CanonicalStream stream;
    stream.direction = direction;
    stream.pattern.address = pattern.address % burst;
    stream.pattern.scattered = true;
    stream.pattern.run_bytes = pattern.run_bytes;
    std::uint64_t places = pattern.runs();
    if (const auto extent = pattern.extent())
        places = (extent->last - extent->first + 1) / pattern.run_bytes;
    stream.pattern.count = {std::bit_ceil(std::clamp<std::uint64_t>(places, 1, endless)), 1, 1};
    stream.pattern.stride = {static_cast<std::int64_t>(pattern.run_bytes), 0, 0};
    return stream;
}

/// True if all runs begin at the same offset in a burst.
bool begins_alike_in_bursts(const AccessPattern& pattern, std::uint64_t burst)
{
    for (std::size_t level = 0; level < pattern.count.size(); ++level)
        if (pattern.count[level] > 1 && pattern.stride[level] % static_cast<std::int64_t>(burst))
            return false;
    return true;
}

/// Innermost level of more than one run; 3 if there is one run.
std::size_t innermost(const AccessPattern& pattern)
{
    for (std::size_t level = 3; level-- > 0;)
        if (pattern.count[level] > 1)
            return level;
    return 3;
}

/// Joins innermost runs if each ends in the burst in which the next begins, including the gaps: the
/// bursts equal those of one run, each transferred once.
AccessPattern joined(const AccessPattern& merged, std::uint64_t burst)
{
    const std::size_t level = innermost(merged);
    if (level == 3 || merged.stride[level] <= 0 || !begins_alike_in_bursts(merged, burst))
        return merged;
    const auto stride = static_cast<std::uint64_t>(merged.stride[level]);
    const std::uint64_t last = merged.address % burst + merged.run_bytes - 1;
    const std::uint64_t next = merged.address % burst + stride;
    if (stride < merged.run_bytes || last / burst != next / burst)
        return merged;
    AccessPattern result = merged;
    result.run_bytes += (merged.count[level] - 1) * stride;
    result.count[level] = 1;
    result.stride[level] = 0;
    return joined(result.merged(), burst);
}

CanonicalStream strided(const AccessPattern& merged, Direction direction,
                        const Parameters& parameters)
{
    const std::uint64_t burst = parameters.burst_bytes();
    const std::uint64_t sampled = sampled_bursts * parameters.organisation.channels;
    CanonicalStream stream;
    stream.direction = direction;
    AccessPattern& p = stream.pattern;
    if (begins_alike_in_bursts(merged, burst)) {
        // The cost is the number of bursts a run touches, not their alignment.
        const std::uint64_t touched = bursts_touched(merged.address, merged.run_bytes, burst);
        // Rounded up, so that runs that do not overlap still do not.
        const auto stride = static_cast<std::uint64_t>(std::abs(merged.stride[innermost(merged)]));
        p.run_bytes = std::min(rounded(touched) * burst, std::max(touched * burst, stride));
        stream.burst_factor =
            static_cast<double>(touched * burst) / static_cast<double>(merged.run_bytes);
    } else {
        p.address = merged.address % burst;
        p.run_bytes = merged.run_bytes < 4 * burst ? merged.run_bytes : rounded(merged.run_bytes);
    }
    std::uint64_t bursts = bursts_touched(p.address, p.run_bytes, burst);
    std::size_t outermost = 2;
    for (std::size_t level = 3; level-- > 0;) {
        if (merged.count[level] == 1 || bursts >= sampled)
            continue;
        outermost = level;
        p.stride[level] = merged.stride[level];
        p.count[level] = rounded(merged.count[level]);
        bursts *= p.count[level];
    }
    // Enough runs that the schedule never returns to rows that are still open.
    if (bursts < sampled)
        p.count[outermost] *= sampled / bursts + 1;
    else
        p.count[outermost] = std::min<std::uint64_t>(p.count[outermost], sampled);
    return stream;
}

} // namespace

std::vector<std::uint64_t> CanonicalStream::key() const
{
    std::vector<std::uint64_t> words{direction == Direction::Write ? 1U : 0U,
                                     pattern.scattered ? 1U : 0U, turns, pattern.address,
                                     pattern.run_bytes};
    for (std::size_t level = 0; level < 3; ++level) {
        words.push_back(pattern.count[level]);
        words.push_back(static_cast<std::uint64_t>(pattern.stride[level]));
    }
    return words;
}

CanonicalStream canonical(const FlowUse& use, const Parameters& parameters)
{
    const std::uint64_t burst = parameters.burst_bytes();
    AccessPattern pattern = use.pattern;
    if (pattern.bytes() == 0)
        pattern = AccessPattern{0, burst, {1, 1, 1}, {0, 0, 0}, false};
    else if (!pattern.scattered)
        pattern = pattern.merged();
    CanonicalStream stream;
    if (pattern.scattered) {
        stream = scattered(pattern, use.direction, burst);
    } else {
        const AccessPattern runs = joined(pattern, burst);
        if (runs.runs() == 1 || runs.run_bytes >= long_run_bursts * burst)
            stream = sequential(runs, use.direction, burst);
        else
            stream = strided(runs, use.direction, parameters);
        stream.burst_factor *=
            static_cast<double>(runs.bytes()) / static_cast<double>(pattern.bytes());
    }
    if (!parameters.mapping.bank_hash && !pattern.scattered) {
        const std::uint64_t page = parameters.organisation.page_bytes;
        stream.pattern.address += pattern.address % bank_sweep(parameters) / page * page;
    }
    const std::uint64_t runs = (use.bytes + pattern.run_bytes - 1) / pattern.run_bytes;
    const std::uint64_t bursts = pattern.run_bytes < burst ? runs : (use.bytes + burst - 1) / burst;
    stream.brief = bursts < brief_bursts * parameters.organisation.channels;
    return stream;
}

std::span<const unsigned> TurnsByDemand::of(std::span<const double> demand_bytes_per_ps,
                                            double peak_bytes_per_ps)
{
    sorted_.assign(demand_bytes_per_ps.begin(), demand_bytes_per_ps.end());
    std::sort(sorted_.begin(), sorted_.end());
    // The level to which rates rise until the bus is full.
    double left = peak_bytes_per_ps;
    double level = 0.0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
        const double fair = left / static_cast<double>(sorted_.size() - i);
        level = std::min(sorted_[i], fair);
        if (sorted_[i] >= fair)
            break;
        left -= sorted_[i];
    }
    turns_.clear();
    for (const double wanted : demand_bytes_per_ps) {
        // Turns are 4 or 1; the boundary, their geometric mean, is half the level.
        turns_.push_back(wanted < 0.5 * level ? 1 : full_turns);
    }
    const bool all_alike =
        std::adjacent_find(turns_.begin(), turns_.end(), std::not_equal_to<>()) == turns_.end();
    if (all_alike)
        std::fill(turns_.begin(), turns_.end(), 1U);
    return turns_;
}

} // namespace levee::dram
