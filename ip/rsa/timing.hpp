// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::rsa {

/// Which operand stays in the processing elements: B, or the results.
enum class Dataflow { WeightStationary, OutputStationary };

/// Size of the array, and rates of its operands.
struct ArrayShape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t load_bytes_per_cycle = 0; ///< Bytes of B loaded per cycle.
    std::uint32_t accumulator_rows = 0;     ///< Rows of partial sums accumulated at the same time.
    bool overlap_loads = true;              ///< Weights are double-buffered: the next fold is
                                            ///< loaded during the present one.
    bool share_reads = false; ///< Column folds that are accumulated together share the reads of A.
    Dataflow dataflow = Dataflow::WeightStationary; ///< With OutputStationary, accumulator_rows and
                                                    ///< share_reads have no meaning.
};

/// One matrix product on the array.
struct ProductShape {
    std::uint64_t m = 0, k = 0, n = 0;
    std::uint32_t passes = 1;           ///< Passes of the 8-bit array per product.
    std::uint64_t bits_per_element = 8; ///< Bits of an element of B.
    std::uint64_t group =
        0; ///< Elements of k that share a scale; a fold lies within one group. 0: all of k.
};

/// Cost of a product. If folds overlap, it does not include fill and drain.
struct ProductCost {
    std::uint64_t cycles = 0;
    std::uint64_t load_cycles = 0; ///< Cycles of the folds whose time is limited by loading B.
    std::uint64_t folds = 0;
    std::uint64_t streamed_rows = 0;    ///< Rows of A read; repeated reads count again.
    std::uint64_t stationary_loads = 0; ///< Number of times that each element of B is read.
    /// Output stationary with overlapping folds: cycles, after the last operand, in which the last
    /// sums leave.
    std::uint64_t leaving = 0;
};

/// The timing rule of ip/rsa/README.md.
[[nodiscard]] ProductCost cost_of(const ArrayShape& array, const ProductShape& product);

/// Cycles that an operand takes from the first multiplier to the last. If folds overlap, these
/// cycles count once per operation.
[[nodiscard]] std::uint64_t fill_and_drain(const ArrayShape& array);

/// Returns the cycles of an operation. `products` is the sum of the costs of its products, except
/// that `products.leaving` is the last product's value.
[[nodiscard]] std::uint64_t operation_cycles(const ArrayShape& array, const ProductCost& products);

} // namespace levee::rsa
