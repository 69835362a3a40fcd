// SPDX-License-Identifier: Apache-2.0
// Products as the array's RTL takes them: rows to load, and waves.
#pragma once

#include "ip/common/descriptor.h"
#include "ip/rsa/pins.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// A matrix product with its operands, rows packed: a is [m][k], b is stored [n][k] (transposed) or
/// [k][n]; each row starts on a byte.
struct Product {
    std::uint32_t m = 0, n = 0, k = 0;
    levee_type a_type = LEVEE_TYPE_INT8; ///< or INT16
    levee_type b_type = LEVEE_TYPE_INT8; ///< or INT16, INT4, INT3
    bool is_transposed = false;
    std::vector<std::uint8_t> a, b;
    std::uint32_t group =
        0; ///< of k, a multiple of 8: the sums of each leave by themselves; 0: all

    [[nodiscard]] unsigned a_bytes() const { return a_type == LEVEE_TYPE_INT16 ? 2 : 1; }
    [[nodiscard]] unsigned b_bytes() const { return b_type == LEVEE_TYPE_INT16 ? 2 : 1; }
    [[nodiscard]] unsigned passes() const { return a_bytes() * b_bytes(); }
    [[nodiscard]] std::uint32_t group_elements() const { return group == 0 ? k : group; }
    [[nodiscard]] std::uint32_t groups() const
    {
        return (k + group_elements() - 1) / group_elements();
    }
    /// Sums of all passes of a group.
    [[nodiscard]] std::size_t sums() const { return std::size_t{passes()} * m * n; }
};

/// INT32 sums of a product: [group][pass][m][n]. Pass b * a_bytes + a is of byte b of B's elements
/// with byte a of A's, the highest first.
using PassSums = std::vector<std::int32_t>;

/// By the definition: what the array must deliver.
[[nodiscard]] PassSums pass_sums(const Product& product);
/// The exact sums, [group][m][n].
[[nodiscard]] std::vector<std::int64_t> combine(const Product& product, const PassSums& sums);

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

/// In place: of a product that is not transposed, rows of the array are pieces of k and columns are
/// pieces of n; transposed the other way round. The order: blocks of at most `block` rows of A,
/// whose sums the accumulators hold, pieces of n, pieces of k, none of which has parts of two
/// groups, bytes of B.
[[nodiscard]] std::vector<Fold> folds_of(const Shape& shape, std::span<const Product> products,
                                         std::uint32_t block);

/// Rows of A that a product's accumulators hold at once.
[[nodiscard]] std::uint32_t block_of(const Shape& shape, const Product& product,
                                     std::uint32_t block);

/// Row `row` of what the fold loads.
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
