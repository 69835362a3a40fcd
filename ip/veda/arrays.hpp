// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace levee::veda {

/// Registers on an operand's way to its result (rtl/veda/veda_pe_arrays.sv).
struct Pipeline {
    std::uint32_t multiplier = 1; ///< 1 to 3
    std::uint32_t tree = 1;       ///< registers of a level of the adder trees: at least 1
    std::uint32_t rounding = 0;   ///< 0 to 2

    friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

/// PE arrays side by side; each number is a power of two, rows and columns are at least 2.
struct ArrayShape {
    std::uint32_t arrays = 0;
    std::uint32_t rows = 0;    ///< rows of one array
    std::uint32_t columns = 0; ///< columns of one array
    Pipeline pipeline{};
    /// Partial sums of a result, added to in turn: 1 or 2, the cycles that an adder takes.
    std::uint32_t partial_sums = 1;

    [[nodiscard]] constexpr std::uint32_t array_lanes() const { return rows * columns; }
    [[nodiscard]] constexpr std::uint32_t lanes() const { return arrays * rows * columns; }

    friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// Products that the arrays can be configured for (VEDA, sections IV-A and VI).
enum class Dataflow : std::uint8_t {
    Flexible, ///< inner and outer
    AdderTree ///< inner only
};

/// The parts of a block.
struct Machine {
    ArrayShape arrays;
    std::uint64_t buffer_bytes = 0; ///< buffer for B, for the next of several vectors; 0: none
    Dataflow dataflow = Dataflow::Flexible;
    bool transposes = true; ///< AdderTree: a B stored as [k][n] takes an extra pass.
};

enum class Mode : std::uint8_t { Inner, Outer };

/// Configuration of the arrays for an operation.
struct Configuration {
    Mode mode = Mode::Inner;
    bool split = false;  ///< Each array computes its own product.
    bool narrow = false; ///< results are FP16

    friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// out[n] = sum over k of a[k] * B(k, n), with FP16 operands. The caller owns operands and results.
struct Product {
    std::uint32_t k = 0, n = 0;       ///< Sizes, at least 1.
    const std::uint16_t* a = nullptr; ///< k elements
    const std::uint16_t* b = nullptr;
    std::size_t b_pitch = 0;      ///< elements from one stored row to the next
    bool b_transposed = false;    ///< B(k, n) is at b[n * b_pitch + k] instead of [k * b_pitch + n]
    std::uint32_t* out = nullptr; ///< n elements: FP32, or FP16 in the lower half and 0 above

    [[nodiscard]] std::uint16_t b_at(std::uint32_t row, std::uint32_t column) const
    {
        return b_transposed ? b[column * b_pitch + row] : b[row * b_pitch + column];
    }
};

/// Number of lanes for one product.
[[nodiscard]] constexpr std::uint32_t product_lanes(const ArrayShape& shape,
                                                    const Configuration& configuration)
{
    return configuration.split ? shape.array_lanes() : shape.lanes();
}

} // namespace levee::veda
