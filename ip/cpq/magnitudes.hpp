// SPDX-License-Identifier: Apache-2.0
// Finds the threshold that prunes a given fraction of the values seen so far.
#pragma once

#include "ip/cpq/model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cpq {

/// Histogram of the magnitudes seen. The relative width of an interval is about 2^-8.
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
    /// Finds the first interval such that at least `share` of the values lie below it, and returns
    /// the lower end of that interval. Returns 0 if no value was seen.
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
    /// An interval contains all magnitudes with the same upper bits in FP32.
    static constexpr unsigned dropped_bits = 15, intervals = 1u << 16;

    std::vector<std::uint64_t> counts_;
    std::uint64_t seen_ = 0;
};

} // namespace levee::cpq
