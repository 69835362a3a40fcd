// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/operation.hpp"
#include "core/memory/access_pattern.hpp"
#include "core/memory/loop_nest.hpp"
#include "ip/rsa/fields.hpp"
#include "ip/rsa/regs.h"

#include <cstddef>
#include <cstdint>

namespace levee::rsa {

/// Consecutive products with the same size, in the order of the loops o0 and o1.
struct ProductGroup {
    std::size_t first, count;
    std::uint64_t k, n;
    std::size_t out; ///< Offset of the group's results among all results.
    /// Rows of B that are read from elsewhere (`redirect`), summed over all products.
    std::uint64_t rows_elsewhere = 0;
    /// Rows of B that cost nothing (LEVEE_RSA_PARTIAL_FREE), summed over all products.
    std::uint64_t rows_free = 0;
    std::uint64_t m = 0;   ///< Rows of A and of the results in each product.
    std::uint64_t row = 0; ///< Ragged M: the first row.
};

/// The accesses to one tensor for all products. A product has row.count x inner.count runs.
struct OperandLoops {
    std::uint64_t address;     ///< Address for product (0, 0).
    const std::int32_t* outer; ///< Strides of o0, o1.
    std::uint64_t run_bytes;
    Loop row, inner;
    std::uint32_t field; ///< Descriptor field, for messages.
};

/// A LEVEE_RSA_GEMM according to its descriptor: computation and operands.
class GemmOperation {
public:
    /// Throws CommandFault if the array does not support the operation. Addresses are not checked.
    void read(const levee_descriptor& descriptor);
    [[nodiscard]] const levee_rsa_operation& op() const { return gemm_; }

    [[nodiscard]] bool has_flag(unsigned flag) const { return (gemm_.flags & flag) != 0; }
    [[nodiscard]] bool is_transposed() const { return has_flag(LEVEE_RSA_B_TRANSPOSED); }
    [[nodiscard]] bool accumulates() const { return has_flag(LEVEE_RSA_ACCUMULATE); }
    [[nodiscard]] bool has_bias() const { return gemm_.bias != 0 && !accumulates(); }
    [[nodiscard]] bool has_keep() const { return gemm_.bias != 0 && accumulates(); }
    [[nodiscard]] bool partial_rows_are_free() const { return has_flag(LEVEE_RSA_PARTIAL_FREE); }
    [[nodiscard]] bool shares_rows() const ///< Whether M is ragged, so that products share rows.
    {
        return gemm_.ragged == LEVEE_RSA_RAGGED_M || is_listed();
    }
    [[nodiscard]] bool is_listed() const { return gemm_.ragged == LEVEE_RSA_RAGGED_M_LISTED; }
    [[nodiscard]] bool to_stream() const { return to_stream_; }
    [[nodiscard]] bool from_stream() const { return from_stream_; }

    [[nodiscard]] std::uint64_t m() const;
    [[nodiscard]] std::size_t product_count() const;
    [[nodiscard]] bool is_one_product() const;
    /// Number of elements in a row of results. Streams carry rows of the full width, with 0 beyond
    /// a ragged length.
    [[nodiscard]] std::uint64_t row_elements(std::uint64_t n) const;
    /// Number of elements of k that share a scale of B; 0: one scale per column.
    [[nodiscard]] std::uint32_t scale_group() const;
    [[nodiscard]] std::uint64_t scales_of_column() const;

    // Operands of products with one size.
    [[nodiscard]] OperandLoops a(const ProductGroup& group) const;
    [[nodiscard]] OperandLoops b(std::uint64_t k, std::uint64_t n) const;
    [[nodiscard]] OperandLoops a_scale(const ProductGroup& group) const;
    [[nodiscard]] OperandLoops b_scale(std::uint64_t n) const;
    [[nodiscard]] OperandLoops out(const ProductGroup& group) const;
    /// ACCUMULATE: the factors by which rows are multiplied, in the layout of A's scales.
    [[nodiscard]] OperandLoops keep(const ProductGroup& group) const;
    /// Ragged M: one bias for each product.
    [[nodiscard]] OperandLoops own_bias(std::uint64_t n) const;
    [[nodiscard]] AccessPattern bias() const;
    /// Columns [begin, end) of the results of the only product.
    [[nodiscard]] AccessPattern columns_of(const ProductGroup& only, std::uint64_t begin,
                                           std::uint64_t end) const;
    /// An operand of one product.
    [[nodiscard]] AccessPattern part(const OperandLoops& operand, std::size_t product) const;

private:
    [[nodiscard]] OperandLoops share_of(OperandLoops all, const ProductGroup& group) const;

    levee_rsa_operation gemm_{};
    bool to_stream_ = false, from_stream_ = false;
};

} // namespace levee::rsa
