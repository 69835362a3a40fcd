// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/pins.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// One byte of each element in a piece of B, and the rows of A that are multiplied by it.
struct Fold {
    std::uint32_t product = 0; ///< Index of the product.
    std::uint32_t first_m = 0, m = 0, first_n = 0, n = 0, first_k = 0, k = 0;
    unsigned b_byte = 0; ///< Index of the byte; 0 is the highest one.

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

/// Returns the folds of these products. If B is not transposed, the array's rows hold pieces of k
/// and its columns pieces of n; if B is transposed, rows hold pieces of n and columns pieces of k.
/// The loops, from outer to inner, are: blocks of at most `block` rows of A, whose sums the
/// accumulators hold; pieces of n; pieces of k; bytes of B. A piece of k lies within one group.
[[nodiscard]] std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products,
                                         std::uint32_t block);

/// Returns the number of rows of A whose sums the accumulators hold at the same time for this
/// product.
[[nodiscard]] std::uint32_t block_of(const Shape& shape, const Product& product,
                                     std::uint32_t block);

/// Returns row `row` of a fold, in the form in which it is loaded.
[[nodiscard]] StoredRow stored_row(const Shape& shape, const Product& product, const Fold& fold,
                                   std::uint32_t row);
/// Returns wave number `wave` of the fold.m * a_bytes waves of a fold: for each byte of A's
/// elements, all rows. `block` is the result of block_of().
[[nodiscard]] Wave wave_of(const Product& product, const Fold& fold, std::uint32_t wave,
                           std::uint32_t block);

/// Number of steps from a wave's entry to its sum at lane 0 of the output. The wave passes to the
/// last row (or column) and through the registers of an operand, a product, a sum and the output.
[[nodiscard]] constexpr std::int64_t first_lane_steps(const Shape& shape)
{
    return std::int64_t{shape.lanes()} + 3;
}

/// Returns the cycles that an idle array takes for these folds without back-pressure, from the
/// first row loaded to the last lane of the last sums.
[[nodiscard]] std::uint64_t cycles_of(const Shape& shape, std::span<const Product> products,
                                      std::span<const Fold> folds);

} // namespace levee::rsa
