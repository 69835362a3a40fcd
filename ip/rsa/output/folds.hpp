// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/output/pins.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa::output {

/// A piece of a product's result, summed over all of k. Row i of the piece is in row shape.rows - m
/// + i of the array: the lowest rows are used, so that sums can leave immediately.
struct Fold {
    std::uint32_t product = 0; ///< Index of the product.
    std::uint32_t first_m = 0, m = 0, first_n = 0, n = 0;
};

/// Returns the folds. The loops, from outer to inner: pieces of shape.rows rows of m, then pieces
/// of shape.columns columns of n.
[[nodiscard]] std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products);

/// Number of loads of a fold. Each load has one byte of every column's element. Loads are ordered
/// by k and, for each k, by byte, the highest byte first.
[[nodiscard]] inline std::uint32_t loads_of(const Product& product)
{
    return product.k * product.b_bytes();
}
[[nodiscard]] ColumnBytes columns_of(const Product& product, const Fold& fold, std::uint32_t load);

/// Number of waves of a fold. For each load, there is a wave for each byte of A's elements, the
/// highest byte first.
[[nodiscard]] inline std::uint32_t waves_of(const Product& product)
{
    return product.k * product.passes();
}
[[nodiscard]] Wave wave_of(const Shape& shape, const Product& product, const Fold& fold,
                           std::uint32_t wave);

/// Exact sums, [group][m][n].
using Sums = std::vector<std::int64_t>;
[[nodiscard]] Sums sums_of(const Product& product);

/// Number of steps from a wave's entry to the lowest row's sum at lane 0 of the output. The wave
/// passes to the last row and through the registers of an operand, a product, a sum and the output.
[[nodiscard]] constexpr std::int64_t first_lane_steps(const Shape& shape)
{
    return std::int64_t{shape.rows} + 3;
}

/// Returns the cycles that an idle array takes for these products without back-pressure, from the
/// first bytes loaded to the last lane of the last sums.
[[nodiscard]] std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products);

} // namespace levee::rsa::output
