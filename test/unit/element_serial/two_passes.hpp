// SPDX-License-Identifier: Apache-2.0
// Softmax and norms in two passes and double precision, for comparison with the unit's results.
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/element_serial/model.hpp"

#include <cmath>
#include <cstdlib>
#include <vector>

namespace levee::test {

using Halves = std::vector<std::uint16_t>;

inline constexpr std::uint32_t paper_tile = 32;

/// Returns the distance of two numbers in FP16 steps; any two NaNs have the distance 0.
inline int steps_between(std::uint16_t a, std::uint16_t b)
{
    const auto rank = [](std::uint16_t bits) {
        return (bits & 0x8000u) != 0 ? -static_cast<int>(bits & 0x7FFFu) : static_cast<int>(bits);
    };
    const bool a_nan = (a & 0x7FFFu) > 0x7C00u, b_nan = (b & 0x7FFFu) > 0x7C00u;
    if (a_nan || b_nan)
        return a_nan && b_nan ? 0 : 1 << 16;
    return std::abs(rank(a) - rank(b));
}

/// Rounds to FP16 once. An inexact FP32 intermediate is made odd, which prevents double rounding.
inline std::uint16_t to_half(double value)
{
    auto near = static_cast<float>(value);
    if (value == value && std::isfinite(near) && static_cast<double>(near) != value) {
        const float below =
            static_cast<double>(near) < value ? near : std::nextafterf(near, -INFINITY);
        const float above = std::nextafterf(below, INFINITY);
        near = (std::bit_cast<std::uint32_t>(below) & 1u) != 0 ? below : above;
    }
    return fp32_to_fp16(near);
}

inline Halves softmax_in_two_passes(const Halves& v)
{
    double largest = -INFINITY, sum = 0.0;
    for (const std::uint16_t bits : v)
        largest = std::max(largest, double{fp16_to_fp32(bits)});
    for (const std::uint16_t bits : v)
        sum += std::exp(double{fp16_to_fp32(bits)} - largest);
    Halves out;
    for (const std::uint16_t bits : v)
        out.push_back(to_half(std::exp(double{fp16_to_fp32(bits)} - largest) / sum));
    return out;
}

/// Computes a layer norm if `centred`, else an RMS norm.
inline Halves norm_in_two_passes(const Halves& v, double epsilon, bool centred)
{
    const auto n = static_cast<double>(v.size());
    double mean = 0.0, square = 0.0;
    for (const std::uint16_t bits : v)
        mean += centred ? double{fp16_to_fp32(bits)} / n : 0.0;
    for (const std::uint16_t bits : v)
        square += (fp16_to_fp32(bits) - mean) * (fp16_to_fp32(bits) - mean) / n;
    Halves out;
    for (const std::uint16_t bits : v)
        out.push_back(to_half((fp16_to_fp32(bits) - mean) / std::sqrt(square + epsilon)));
    return out;
}

/// Returns the unit's result without gain and bias.
inline Halves in_one_pass(element_serial::Function function, const Halves& v, float epsilon = 0.0f,
                          std::uint32_t tile = paper_tile)
{
    namespace es = element_serial;
    const es::Factors factors = es::factors_of(function, es::reduce(function, tile, v),
                                               static_cast<std::uint32_t>(v.size()), epsilon);
    Halves out;
    for (const std::uint16_t bits : v)
        out.push_back(es::normalised(function, factors, bits, es::no_factor, es::no_addend));
    return out;
}

inline int worst_step(const Halves& a, const Halves& b)
{
    int worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, steps_between(a[i], b[i]));
    return worst;
}

/// Returns an approximately normal number with mean 0 and variance 1, from twelve uniform numbers.
inline double normal(std::uint32_t seed, std::uint64_t index)
{
    double sum = -6.0;
    for (std::uint64_t i = 0; i < 12; ++i)
        sum += unit_interval(random_word(seed, 21, index * 12 + i));
    return sum;
}

} // namespace levee::test
