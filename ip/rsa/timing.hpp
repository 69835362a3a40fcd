// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace levee::rsa {

/// The operand that stays in the multipliers while the other two pass them.
enum class Dataflow { WeightStationary, OutputStationary };

/// Size and feeding of the array.
struct ArrayShape {
    std::uint32_t rows = 0;
    std::uint32_t columns = 0;
    std::uint32_t load_bytes_per_cycle = 0; ///< bytes of B loaded in a cycle
    std::uint32_t accumulator_rows = 0;     ///< rows of partial sums accumulated at once
    bool overlap_loads = true;              ///< double-buffered weights
    bool share_reads = false; ///< column folds accumulated together share the reads of A
    Dataflow dataflow =
        Dataflow::WeightStationary; ///< otherwise accumulator_rows and share_reads mean nothing
};

/// One matrix product on the array.
struct ProductShape {
    std::uint64_t m = 0, k = 0, n = 0;
    std::uint32_t passes = 1;           ///< passes of the 8-bit array over each product
    std::uint64_t bits_per_element = 8; ///< bits of an element of B
    std::uint64_t group =
        0; ///< k that share a scale, and no fold has parts of two groups; 0: all of k
};

/// Cost of a product, before fill and drain.
struct ProductCost {
    std::uint64_t cycles = 0;
    std::uint64_t load_cycles = 0; ///< cycles in folds that take as long as B's part loads
    std::uint64_t folds = 0;
    std::uint64_t streamed_rows = 0;    ///< rows of A read, counted once per read
    std::uint64_t stationary_loads = 0; ///< times that each element of B is read
    /// Output stationary with overlapping folds: the last sums' way out, behind the last operand's
    /// pass.
    std::uint64_t leaving = 0;
};

/// The timing rule of ip/rsa/README.md.
[[nodiscard]] ProductCost cost_of(const ArrayShape& array, const ProductShape& product);

/// Cycles that an operand takes from the first multiplier to the last; paid once per operation when
/// folds overlap.
[[nodiscard]] std::uint64_t fill_and_drain(const ArrayShape& array);

/// Cycles of an operation whose products cost `products` in total; what leaves last is the last
/// one's.
[[nodiscard]] std::uint64_t operation_cycles(const ArrayShape& array, const ProductCost& products);

} // namespace levee::rsa
