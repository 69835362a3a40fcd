// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/stats.hpp"

#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <span>

namespace levee {

/// Name of the metric in the results of components whose arithmetic can overflow.
inline constexpr const char* overflows_figure = "overflows";

/// Counts infinite results, and NaNs that they cause, in functional runs.
class Overflows {
public:
    void count(std::span<const float> results)
    {
        for (const float result : results)
            count_ += has_all(std::bit_cast<std::uint32_t>(result), fp32_exponent);
    }
    /// Counts overflows in FP16 numbers.
    void count(std::span<const std::uint16_t> results)
    {
        for (const std::uint16_t result : results)
            count_ += has_all(result, fp16_exponent);
    }
    /// Counts overflows in FP16 or FP32 numbers that are given as bits.
    void count_bits(std::span<const std::uint32_t> results, bool is_fp16)
    {
        for (const std::uint32_t result : results)
            count_ += has_all(result, is_fp16 ? fp16_exponent : fp32_exponent);
    }
    /// Counts the overflow of a norm, which computes the sum of the vector's squares.
    void count_norm(std::span<const float> x)
    {
        const double squares = std::inner_product(
            x.begin(), x.end(), x.begin(), 0.0, std::plus<>(),
            [](float a, float b) { return static_cast<double>(a) * static_cast<double>(b); });
        count_ += squares <= std::numeric_limits<float>::max() ? 0 : 1;
    }
    void report(Stats& stats) const
    {
        if (count_ != 0)
            stats.add(overflows_figure, count_);
    }

private:
    static constexpr std::uint32_t fp32_exponent = 0x7F800000u, fp16_exponent = 0x7C00u;
    static constexpr std::uint64_t has_all(std::uint32_t bits, std::uint32_t exponent)
    {
        return (bits & exponent) == exponent ? 1 : 0;
    }

    std::uint64_t count_ = 0;
};

} // namespace levee
