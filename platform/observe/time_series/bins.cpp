// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/time_series/bins.hpp"

#include "core/units/wide.hpp"

#include <algorithm>

namespace levee::series {

Bins::Bins(std::size_t bins, unsigned shift) : bins_(bins), shift_(shift) {}

std::size_t Bins::add_channel()
{
    channels_.emplace_back(bins_);
    return channels_.size() - 1;
}

void Bins::join()
{
    for (std::vector<std::uint64_t>& sums : channels_) {
        for (std::size_t i = 0; i < bins_ / 2; ++i)
            sums[i] = sums[2 * i] + sums[2 * i + 1];
        std::fill(sums.begin() + static_cast<std::ptrdiff_t>(bins_ / 2), sums.end(), 0);
    }
    ++shift_;
}

void Bins::spread(std::size_t channel, std::uint64_t from, std::uint64_t last, std::uint64_t amount)
{
    while (last >> shift_ >= bins_)
        join();
    std::vector<std::uint64_t>& sums = channels_[channel];
    const std::uint64_t span = last - from + 1;
    // Returns the part of the amount for the time before `at`, rounded down. Differences of these
    // parts add up to the amount.
    const auto before = [&](std::uint64_t at) {
        return static_cast<std::uint64_t>(Wide{amount} * (at - from) / span);
    };
    std::uint64_t given = 0;
    for (std::uint64_t bin = from >> shift_; bin < last >> shift_; ++bin) {
        const std::uint64_t until = before((bin + 1) << shift_);
        sums[bin] += until - given;
        given = until;
    }
    sums[last >> shift_] += amount - given;
}

} // namespace levee::series
