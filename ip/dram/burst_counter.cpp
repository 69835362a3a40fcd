// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/burst_counter.hpp"

#include "core/units/wide.hpp"

#include <algorithm>
#include <numeric>

namespace levee::dram {

namespace {

/// Returns value * share / whole, rounded up.
std::uint64_t part(std::uint64_t value, std::uint64_t share, std::uint64_t whole)
{
    return static_cast<std::uint64_t>((Wide{value} * share + whole - 1) / whole);
}

/// Runs, counted by the offset of their first byte in a burst.
class Offsets {
public:
    Offsets(std::uint64_t address, std::uint64_t burst_bytes) : runs_(burst_bytes)
    {
        runs_[address % burst_bytes] = 1;
    }

    /// Replaces the runs by `count` copies of them, `stride` apart.
    void repeat(std::uint64_t count, std::int64_t stride)
    {
        const std::uint64_t size = runs_.size();
        const std::uint64_t step = static_cast<std::uint64_t>(stride) % size; // a power of two
        const std::uint64_t period = step == 0 ? 1 : size / std::gcd(step, size);
        std::vector<std::uint64_t> repeated(size);
        for (std::uint64_t k = 0; k < std::min(period, count); ++k) {
            const std::uint64_t copies = (count - k + period - 1) / period;
            for (std::uint64_t offset = 0; offset < size; ++offset)
                repeated[(offset + k * step) % size] += copies * runs_[offset];
        }
        runs_ = std::move(repeated);
    }

    /// Bursts of all runs, each of `run_bytes`.
    [[nodiscard]] std::uint64_t bursts(std::uint64_t run_bytes) const
    {
        std::uint64_t sum = 0;
        for (std::uint64_t offset = 0; offset < runs_.size(); ++offset)
            sum += runs_[offset] * ((offset + run_bytes + runs_.size() - 1) / runs_.size());
        return sum;
    }

    /// Number of copies, each of `bytes`, that end in the burst in which the next copy, `stride`
    /// later, begins.
    [[nodiscard]] std::uint64_t shared(std::uint64_t bytes, std::uint64_t stride) const
    {
        std::uint64_t sum = 0;
        for (std::uint64_t offset = 0; offset < runs_.size(); ++offset)
            if ((offset + bytes - 1) / runs_.size() == (offset + stride) / runs_.size())
                sum += runs_[offset];
        return sum;
    }

private:
    std::vector<std::uint64_t> runs_;
};

std::uint64_t magnitude(std::int64_t stride)
{
    return static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
}

} // namespace

BurstCounter::BurstCounter(const Parameters& parameters) : burst_bytes_(parameters.burst_bytes()) {}

std::uint64_t BurstCounter::count(const AccessPattern& pattern, std::uint64_t bytes) const
{
    if (bytes == 0 || pattern.bytes() == 0)
        return 0;
    const std::uint64_t all = pattern.scattered ? scattered(pattern) : once(pattern);
    return bytes / pattern.bytes() * all + part(all, bytes % pattern.bytes(), pattern.bytes());
}

std::uint64_t BurstCounter::once(const AccessPattern& given) const
{
    const AccessPattern pattern = given.merged();
    std::uint64_t extent = pattern.run_bytes; // extent of the pattern up to the present level
    std::uint64_t shared = 0;
    Offsets all(pattern.address, burst_bytes_);
    for (std::size_t level = 3; level-- > 0;) {
        const std::uint64_t count = pattern.count[level];
        const std::int64_t stride = pattern.stride[level];
        if (count == 1)
            continue;
        if (stride > 0 && static_cast<std::uint64_t>(stride) - extent < burst_bytes_)
            shared += shared_bursts(pattern, level, extent);
        all.repeat(count, stride);
        extent += (count - 1) * magnitude(stride);
    }
    return all.bursts(pattern.run_bytes) - shared;
}

/// Number of bursts in which a part of the pattern, `extent` bytes long, ends and the next part at
/// `level` begins.
std::uint64_t BurstCounter::shared_bursts(const AccessPattern& pattern, std::size_t level,
                                          std::uint64_t extent) const
{
    Offsets starts(pattern.address, burst_bytes_);
    for (std::size_t outer = 0; outer < level; ++outer)
        starts.repeat(pattern.count[outer], pattern.stride[outer]);
    starts.repeat(pattern.count[level] - 1, pattern.stride[level]);
    return starts.shared(extent, static_cast<std::uint64_t>(pattern.stride[level]));
}

/// Mean number of bursts if each run may be at any run-sized place of the pattern.
std::uint64_t BurstCounter::scattered(const AccessPattern& pattern) const
{
    Offsets offsets(pattern.address, burst_bytes_);
    offsets.repeat(burst_bytes_, static_cast<std::int64_t>(pattern.run_bytes));
    return part(offsets.bursts(pattern.run_bytes), pattern.runs(), burst_bytes_);
}

} // namespace levee::dram
