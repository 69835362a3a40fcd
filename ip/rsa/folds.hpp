// SPDX-License-Identifier: Apache-2.0
// Products as the array's RTL takes them: rows to load, and waves.
#pragma once

#include "ip/rsa/pins.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// A byte of a piece of B, and the rows of A that pass it.
struct Fold {
    std::uint32_t product = 0; ///< index
    std::uint32_t first_m = 0, m = 0, first_n = 0, n = 0, first_k = 0, k = 0;
    unsigned b_byte = 0; ///< the highest first

    [[nodiscard]] std::uint32_t rows(bool is_transposed) const { return is_transposed ? n : k; }
    [[nodiscard]] bool begins(const Product& its) const
    {
        return first_k % its.group_elements() == 0;
    }
    [[nodiscard]] bool completes(const Product& its) const
    {
        return first_k + k == its.k || (first_k + k) % its.group_elements() == 0;
    }
};

/// Folds of a product in place. Without transposition, rows of the array are pieces of k and
/// columns are pieces of n; with transposition it is the other way round. Order: blocks of at most
/// `block` rows of A, whose sums the accumulators hold, pieces of n, pieces of k, none of which has
/// parts of two groups, bytes of B.
[[nodiscard]] std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products,
                                         std::uint32_t block);

/// Rows of A that a product's accumulators hold at once.
[[nodiscard]] std::uint32_t block_of(const Shape& shape, const Product& product,
                                     std::uint32_t block);

/// Row `row` of the fold's loads.
[[nodiscard]] StoredRow stored_row(const Shape& shape, const Product& product, const Fold& fold,
                                   std::uint32_t row);
/// Wave `wave` of fold.m * a_bytes: byte by byte of A, row by row. `block`: block_of().
[[nodiscard]] Wave wave_of(const Product& product, const Fold& fold, std::uint32_t wave,
                           std::uint32_t block);

/// Steps from a wave's entry to its sums at lane 0 of the output: to the last row or column, and
/// the registers of an operand, of a product, of a sum and of the output.
[[nodiscard]] constexpr std::int64_t first_lane_steps(const Shape& shape)
{
    return std::int64_t{shape.lanes()} + 3;
}

/// Cycles that an idle array takes for these folds, without back-pressure, from the first row
/// loaded to the last lane of the last sums.
[[nodiscard]] std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products,
                                      std::span<const Fold> folds);

} // namespace levee::rsa
