// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/clock.hpp"
#include "ip/veda/arrays.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace levee::veda {

/// Number of beats without operands that follow a sum: two partial sums wait for the last addition,
/// and are then added up.
[[nodiscard]] constexpr std::uint64_t merging_beats(const ArrayShape& shape, std::uint64_t beats)
{
    return shape.partial_sums > 1 && beats > 1 ? shape.partial_sums : 0;
}

/// Cycles in which a product takes operands (VEDA, section IV-A) or adds up partial sums.
[[nodiscard]] constexpr std::uint64_t beats_of(const ArrayShape& shape,
                                               const Configuration& configuration, std::uint64_t k,
                                               std::uint64_t n)
{
    const std::uint64_t lanes = product_lanes(shape, configuration);
    const bool inner = configuration.mode == Mode::Inner;
    const std::uint64_t sums = inner ? n : divide_up(n, lanes);
    const std::uint64_t beats = inner ? divide_up(k, lanes) : k;
    return sums * (beats + merging_beats(shape, beats));
}

/// Cycles of the longest of several products that run in parallel.
[[nodiscard]] inline std::uint64_t beats_of(const ArrayShape& shape,
                                            const Configuration& configuration,
                                            std::span<const Product> side_by_side)
{
    std::uint64_t most = 0;
    for (const Product& product : side_by_side)
        most = std::max(most, beats_of(shape, configuration, product.k, product.n));
    return most;
}

/// Sum of ⌈i × factor / unit⌉ over `count` consecutive i from `first` on. The number of steps grows
/// with the logarithm of `unit`, as in Euclid's algorithm for the integer points below a line.
[[nodiscard]] constexpr std::uint64_t sum_of_units(std::uint64_t first, std::uint64_t count,
                                                   std::uint64_t factor, std::uint64_t unit)
{
    std::uint64_t sum = 0;
    std::uint64_t start = first * factor + unit - 1;
    while (count > 0) {
        sum += count * (count - 1) / 2 * (factor / unit) + count * (start / unit);
        factor %= unit;
        start %= unit;
        const std::uint64_t end = factor * count + start;
        count = end / unit;
        start = end % unit;
        std::swap(factor, unit);
    }
    return sum;
}

/// Cycles from an operation's last operands to its last result: registers of the multipliers, of
/// the accumulation and of rounding. In inner mode, each level of the adder tree, the joining level
/// and the accumulation have the registers of a level. An adder has one stage for each partial sum.
[[nodiscard]] constexpr std::uint64_t fill_cycles(const ArrayShape& shape, Mode mode)
{
    const Pipeline& pipeline = shape.pipeline;
    const auto levels = static_cast<std::uint64_t>(std::bit_width(shape.lanes()) - 1);
    const std::uint64_t adder = shape.partial_sums;
    const std::uint64_t adders =
        mode == Mode::Inner ? (levels + 1) * (pipeline.tree - 1 + adder) : adder;
    return pipeline.multiplier + adders + pipeline.rounding;
}

} // namespace levee::veda
