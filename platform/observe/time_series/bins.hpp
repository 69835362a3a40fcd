// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::series {

/// Sums over time in a fixed number of bins of equal width, for several channels. If a time is
/// beyond the last bin, neighbouring bins are joined in pairs and the width doubles. The memory
/// used therefore does not grow.
class Bins {
public:
    /// `bins` must be even. The initial width is 2^`shift` picoseconds.
    Bins(std::size_t bins, unsigned shift);

    /// Adds a channel of zeros and returns its number.
    std::size_t add_channel();

    /// Spreads `amount` evenly over [from, to), in whole units that add up to `amount`. If `to` is
    /// not later than `from`, adds all of it at `from`. Times are in picoseconds.
    void add(std::size_t channel, std::uint64_t from, std::uint64_t to, std::uint64_t amount)
    {
        const std::uint64_t last = to > from ? to - 1 : from;
        if (last >> shift_ < bins_ && from >> shift_ == last >> shift_)
            channels_[channel][from >> shift_] += amount;
        else
            spread(channel, from, last, amount);
    }

    /// Returns the width of a bin, in picoseconds.
    [[nodiscard]] std::uint64_t width() const { return std::uint64_t{1} << shift_; }
    [[nodiscard]] const std::vector<std::uint64_t>& sums(std::size_t channel) const
    {
        return channels_.at(channel);
    }

private:
    void spread(std::size_t channel, std::uint64_t from, std::uint64_t last, std::uint64_t amount);
    void join();

    std::size_t bins_;
    unsigned shift_;
    std::vector<std::vector<std::uint64_t>> channels_;
};

} // namespace levee::series
