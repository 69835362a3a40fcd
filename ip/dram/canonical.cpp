// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/canonical.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace levee::dram {

namespace {

// Granularity of the canonical form: smaller differences have the same price.
constexpr std::uint64_t endless = std::uint64_t{1} << 40;
constexpr std::uint64_t long_run_bursts = 512;
constexpr std::uint64_t sampled_bursts = 4096; ///< per channel: more than any schedule has
constexpr unsigned significant_bits = 2;
/// A stream with fewer bursts per channel ends before the steady state.
constexpr std::uint64_t brief_bursts = 128;
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

/// Joins the innermost runs, with the gaps between them, if each run ends in the burst in which the
/// next one begins. The bursts are the same as those of one long run.
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

double bytes_of(const FlowUse& use)
{
    return std::max(1.0, static_cast<double>(use.bytes));
}

/// Exponent of the power of four that is nearest to `part`; 0 if `part` is 2.
unsigned quarterings(double part)
{
    return static_cast<unsigned>(std::ceil(0.5 * std::log2(part) - 0.5));
}

} // namespace

std::vector<std::uint64_t> CanonicalStream::key() const
{
    std::vector<std::uint64_t> words{direction == Direction::Write ? 1U : 0U,
                                     pattern.scattered ? 1U : 0U, quarterings, pattern.address,
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

void Shares::find_activities(std::span<const FlowUse* const> mix,
                             std::span<const StreamDemand> demand)
{
    activities_.clear();
    for (std::size_t i = 0; i < mix.size(); ++i) {
        auto its = std::ranges::find(activities_, demand[i].activity, &Together::activity);
        if (its == activities_.end())
            its = activities_.insert(its, Together{demand[i].activity});
        const double bytes = bytes_of(*mix[i]);
        its->bytes += bytes;
        its->longest = std::max(its->longest, bytes);
        its->demand = std::max(its->demand, demand[i].bytes_per_ps);
    }
    std::ranges::sort(activities_, {}, &Together::demand);
}

/// Max-min fair rate of the longest stream of each activity: all get this rate or their demand, and
/// together with the other streams fill the bus.
double Shares::fair_rate(double peak_bytes_per_ps) const
{
    double left = peak_bytes_per_ps, streams = 0.0, rate = 0.0;
    for (const Together& activity : activities_)
        streams += activity.bytes / activity.longest;
    for (const Together& activity : activities_) {
        const double fair = left / streams;
        rate = std::min(activity.demand, fair);
        if (activity.demand >= fair)
            break;
        left -= activity.demand * activity.bytes / activity.longest;
        streams -= activity.bytes / activity.longest;
    }
    return rate;
}

std::span<const unsigned> Shares::of(std::span<const FlowUse* const> mix,
                                     std::span<const StreamDemand> demand, double peak_bytes_per_ps)
{
    find_activities(mix, demand);
    const double fair = fair_rate(peak_bytes_per_ps);
    quarterings_.clear();
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const auto its = std::ranges::find(activities_, demand[i].activity, &Together::activity);
        const double part = its->longest / bytes_of(*mix[i]);
        quarterings_.push_back(quarterings(part) + (its->demand < 0.5 * fair ? 1 : 0));
    }
    const unsigned least = std::ranges::min(quarterings_);
    for (unsigned& quarterings : quarterings_)
        quarterings = std::min(quarterings - least, MixStream::most_quarterings);
    return quarterings_;
}

} // namespace levee::dram
