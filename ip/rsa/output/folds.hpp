// SPDX-License-Identifier: Apache-2.0
// Products as the output-stationary array's RTL takes them: bytes of B's columns, and waves.
#pragma once

#include "ip/rsa/output/pins.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa::output {

/// A piece of a product's result, summed over all of k. Row i of it is in row
/// shape.rows - m + i of the array, so that its sums leave at once.
struct Fold {
    std::uint32_t product = 0; ///< index
    std::uint32_t first_m = 0, m = 0, first_n = 0, n = 0;
};

/// Order of folds: pieces of shape.rows of m, then pieces of shape.columns of n.
[[nodiscard]] std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products);

/// Number of loads of a fold. Each loads one byte of every column's element: for one k after
/// another, the highest byte first.
[[nodiscard]] inline std::uint32_t loads_of(const Product& product)
{
    return product.k * product.b_bytes();
}
[[nodiscard]] ColumnBytes columns_of(const Product& product, const Fold& fold, std::uint32_t load);

/// Waves of a fold: of each load, a byte of each row's element, the highest first.
[[nodiscard]] inline std::uint32_t waves_of(const Product& product)
{
    return product.k * product.passes();
}
[[nodiscard]] Wave wave_of(const Shape& shape, const Product& product, const Fold& fold,
                           std::uint32_t wave);

/// The exact sums, [group][m][n].
using Sums = std::vector<std::int64_t>;
[[nodiscard]] Sums sums_of(const Product& product);

/// Steps from a wave's entry to the lowest row's sum at lane 0 of the output: to the last row, and
/// the registers of an operand, of a product, of a sum and of the way out.
[[nodiscard]] constexpr std::int64_t first_lane_steps(const Shape& shape)
{
    return std::int64_t{shape.rows} + 3;
}

/// Cycles that an idle array takes for these products, without back-pressure, from the first bytes
/// loaded to the last lane of the last sums.
[[nodiscard]] std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products);

} // namespace levee::rsa::output
