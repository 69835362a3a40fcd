// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/model.hpp"

#include <algorithm>
#include <cstdint>

namespace levee::element_serial {

// Register stages of the unit's arithmetic.
inline constexpr std::uint64_t multiply_stages = 1;
inline constexpr std::uint64_t add_stages = 1;
inline constexpr std::uint64_t round_stages = 1; ///< Rounding to FP16.
inline constexpr std::uint64_t exp_stages = 4;
inline constexpr std::uint64_t divide_stages = 15; ///< The divider is iterative and also computes
                                                   ///< square roots.

/// Cycles from a vector's last element to its statistics. In a softmax, elements wait in the FIFO
/// for the maximum of their tile.
[[nodiscard]] constexpr std::uint64_t reduce_fill(Function function, std::uint32_t tile)
{
    constexpr std::uint64_t enter = multiply_stages + add_stages + round_stages;
    constexpr std::uint64_t sums = 3 * add_stages; // Sums over a tile, over tiles and over blocks.
    return function == Function::Softmax ? enter + tile + add_stages + exp_stages + sums
                                         : enter + multiply_stages + sums;
}

/// Cycles from an element to its result.
[[nodiscard]] constexpr std::uint64_t normalise_fill(Function function)
{
    return function == Function::Softmax
               ? add_stages + exp_stages + multiply_stages + round_stages
               : add_stages + 2 * multiply_stages + add_stages + round_stages;
}

/// Cycles from a vector's statistics to its first element.
[[nodiscard]] constexpr std::uint64_t set_up(Function function)
{
    switch (function) {
    case Function::Softmax:
        return divide_stages;
    case Function::RmsNorm:
        return divide_stages + add_stages + 2 * divide_stages;
    default:
        return divide_stages + multiply_stages + 2 * add_stages + 2 * divide_stages;
    }
}

/// Number of cycles from the first element of one vector to the first element of the next vector.
struct Pace {
    std::uint64_t least = 1; ///< Fewest cycles between two vectors.
    std::uint64_t extra = 0; ///< Cycles in addition to one for each element.

    [[nodiscard]] constexpr std::uint64_t cycles(std::uint64_t length) const
    {
        return std::max(length + extra, least);
    }
    /// Returns the cycles of `count` vectors with the lengths `first`, first + 1, ...
    [[nodiscard]] constexpr std::uint64_t cycles_of_growing(std::uint64_t first,
                                                            std::uint64_t count) const
    {
        const std::uint64_t from = first + extra;
        const std::uint64_t below = from < least ? std::min(count, least - from) : 0;
        const std::uint64_t rest = count - below;
        return below * least + rest * (from + below) + rest * (rest - (rest > 0)) / 2;
    }
};

/// Number of tiles of `count` vectors with the lengths `first`, first + 1, ...
[[nodiscard]] constexpr std::uint64_t tiles_of_growing(std::uint64_t first, std::uint64_t count,
                                                       std::uint64_t tile)
{
    // Returns the number of tiles of n vectors with the lengths 1 to n.
    const auto up_to = [tile](std::uint64_t n) {
        const std::uint64_t full = n / tile;
        return tile * (full * (full + 1) / 2) + (n % tile) * (full + 1);
    };
    return up_to(first + count - 1) - up_to(first - 1);
}

/// Pace of REDUCE: at most two complete tiles may be in the FIFO while a third tile waits for its
/// maximum.
[[nodiscard]] constexpr Pace reduce_pace(Function function, std::uint32_t tile)
{
    return {function == Function::Softmax ? tile : 1u, 0};
}

/// Pace of NORMALISE: the next vector's factors are computed while the elements of the current
/// vector pass. The factors of a layer norm occupy the multiplier of the elements for one cycle.
[[nodiscard]] constexpr Pace normalise_pace(Function function)
{
    return {set_up(function) + 1, function == Function::LayerNorm ? 1u : 0u};
}

} // namespace levee::element_serial
