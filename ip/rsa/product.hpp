// SPDX-License-Identifier: Apache-2.0
// A product as the array's RTL computes it: bytes of elements, and sums of products of bytes.
#pragma once

#include "core/abi/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::rsa {

/// A matrix product with its operands. Rows are packed: a is [m][k]; b is stored as [n][k]
/// (transposed) or [k][n]. Each row starts at a byte.
struct Product {
    std::uint32_t m = 0, n = 0, k = 0;
    levee_type a_type = LEVEE_TYPE_INT8; ///< INT8 or INT16.
    levee_type b_type = LEVEE_TYPE_INT8; ///< INT8, INT16, INT4 or INT3.
    bool is_transposed = false;
    std::vector<std::uint8_t> a, b;
    std::uint32_t group = 0; ///< Length of a group of k, a multiple of 8, whose sums leave
                             ///< separately; 0: all of k.

    [[nodiscard]] unsigned a_bytes() const { return a_type == LEVEE_TYPE_INT16 ? 2 : 1; }
    [[nodiscard]] unsigned b_bytes() const { return b_type == LEVEE_TYPE_INT16 ? 2 : 1; }
    [[nodiscard]] unsigned passes() const { return a_bytes() * b_bytes(); }
    [[nodiscard]] std::uint32_t group_elements() const { return group == 0 ? k : group; }
    [[nodiscard]] std::uint32_t groups() const
    {
        return (k + group_elements() - 1) / group_elements();
    }
    /// Number of sums of all passes of a group.
    [[nodiscard]] std::size_t sums() const { return std::size_t{passes()} * m * n; }
};

/// INT32 sums of a product, [group][pass][m][n]. Pass b * a_bytes + a multiplies byte b of B's
/// elements by byte a of A's; byte 0 is the highest.
using PassSums = std::vector<std::int32_t>;

/// Computes the sums by their definition. The array's sums must be equal.
[[nodiscard]] PassSums pass_sums(const Product& product);
/// Combines the sums of passes into the exact sums, [group][m][n].
[[nodiscard]] std::vector<std::int64_t> combine(const Product& product, const PassSums& sums);

/// Returns byte `byte` of element l in row i of A. Byte 0 is the highest, which is signed; the
/// other byte is unsigned.
[[nodiscard]] std::int32_t byte_of_a(const Product& product, std::uint32_t i, std::uint32_t l,
                                     unsigned byte);
/// Returns byte `byte` of element `at` in stored row `row` of B, counted as in byte_of_a().
[[nodiscard]] std::int32_t byte_of_b(const Product& product, std::uint32_t row, std::uint32_t at,
                                     unsigned byte);

} // namespace levee::rsa
