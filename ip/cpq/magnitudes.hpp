// SPDX-License-Identifier: Apache-2.0
// Thresholds for a share of values to be pruned, from values that have been seen.
#pragma once

#include "ip/cpq/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cpq {

/// Magnitudes that were seen, counted in intervals of 2^-8 of themselves.
class Magnitudes {
public:
    void add(std::span<const float> values)
    {
        if (counts_.empty())
            counts_.resize(intervals);
        for (const float value : values)
            ++counts_[std::bit_cast<std::uint32_t>(std::fabs(to_value(value))) >> dropped_bits];
        seen_ += values.size();
    }
    /// Smallest interval begin below which at least `share` of the seen values lie; 0 if no values
    /// were seen.
    [[nodiscard]] float threshold(double share) const
    {
        std::uint64_t below = 0;
        std::uint32_t interval = 0;
        while (interval < counts_.size() &&
               static_cast<double>(below) < share * static_cast<double>(seen_))
            below += counts_[interval++];
        return std::bit_cast<float>(interval << dropped_bits);
    }
    [[nodiscard]] bool empty() const { return seen_ == 0; }

private:
    /// An interval has the magnitudes that differ only in the low bits of FP32.
    static constexpr unsigned dropped_bits = 15, intervals = 1u << 16;

    std::vector<std::uint64_t> counts_;
    std::uint64_t seen_ = 0;
};

} // namespace levee::cpq
