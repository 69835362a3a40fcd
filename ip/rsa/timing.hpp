// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::rsa {

/// The array's size and how it is fed.
struct ArrayShape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t load_bytes_per_cycle = 0; ///< of the stationary operand
    std::uint32_t accumulator_rows = 0;     ///< rows of partial sums that are kept at once
    bool overlap_loads = true;              ///< double-buffered weights
    bool share_reads = false; ///< column folds whose partial sums are kept together share A's reads
};

/// One matrix product on it.
struct ProductShape {
    std::uint64_t m = 0, k = 0, n = 0;
    std::uint32_t passes = 1;           ///< of the 8-bit array over each product
    std::uint64_t bits_per_element = 8; ///< of the stationary operand
};

/// What a product costs, before fill and drain.
struct ProductCost {
    std::uint64_t cycles = 0;
    std::uint64_t folds = 0;
    std::uint64_t streamed_rows = 0;    ///< rows of A read, each as often as it passes
    std::uint64_t stationary_loads = 0; ///< how often each element of B is loaded
};

/// The timing rule of ip/rsa/README.md.
[[nodiscard]] ProductCost cost_of(const ArrayShape& array, const ProductShape& product);

/// Cycles from the last operand in to the last result out; paid once per operation when loads
/// overlap.
[[nodiscard]] std::uint64_t fill_and_drain(const ArrayShape& array);

/// Cycles of an operation whose products cost `products` in all.
[[nodiscard]] std::uint64_t operation_cycles(const ArrayShape& array, const ProductCost& products);

} // namespace levee::rsa
