// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace levee::veda {

/// Pipeline registers between operands and result (rtl/veda/veda_pe_arrays.sv).
struct Pipeline {
    std::uint32_t multiplier = 1; ///< Registers of the multipliers, 1 to 3.
    std::uint32_t tree = 1;       ///< Registers per level of the adder trees, at least 1.
    std::uint32_t rounding = 0;   ///< Registers of rounding, 0 to 2.

    friend bool operator==(const Pipeline&, const Pipeline&) = default;
};

/// PE arrays that work in parallel. Every number is a power of two; rows and columns are at least
/// 2.
struct ArrayShape {
    std::uint32_t arrays = 0;
    std::uint32_t rows = 0; ///< Rows of one array.
    std::uint32_t columns = 0;
    Pipeline pipeline{};
    /// Number of partial sums per result, 1 or 2. Products are added to them in turn, so an adder
    /// may take this many cycles.
    std::uint32_t partial_sums = 1;

    [[nodiscard]] constexpr std::uint32_t array_lanes() const { return rows * columns; }
    [[nodiscard]] constexpr std::uint32_t lanes() const { return arrays * rows * columns; }

    friend bool operator==(const ArrayShape&, const ArrayShape&) = default;
};

/// Kinds of products that the arrays support (VEDA, sections IV-A and VI).
enum class Dataflow : std::uint8_t {
    Flexible, ///< Inner and outer products.
    AdderTree ///< Only inner products.
};

/// Parameters of a block.
struct Machine {
    ArrayShape arrays;
    std::uint64_t buffer_bytes = 0; ///< Buffer for a piece of B that several vectors use; 0: none.
    Dataflow dataflow = Dataflow::Flexible;
    bool transposes = true; ///< AdderTree: a B stored as [k][n] is transposed in an extra pass.
};

enum class Mode : std::uint8_t { Inner, Outer };

/// How the arrays are configured for an operation.
struct Configuration {
    Mode mode = Mode::Inner;
    bool split = false;  ///< Each array computes a separate product.
    bool narrow = false; ///< Results are FP16.

    friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// out[n] = sum over k of a[k] * B(k, n), with FP16 operands. The caller owns operands and results.
struct Product {
    std::uint32_t k = 0, n = 0;       ///< Sizes of the product, at least 1.
    const std::uint16_t* a = nullptr; ///< `k` elements.
    const std::uint16_t* b = nullptr;
    std::size_t b_pitch = 0;      ///< Distance of stored rows, in elements.
    bool b_transposed = false;    ///< B(k, n) is at b[n * b_pitch + k] instead of b[k * b_pitch +
                                  ///< n].
    std::uint32_t* out = nullptr; ///< n elements: FP32; or FP16 in the lower half, with 0 above.

    [[nodiscard]] std::uint16_t b_at(std::uint32_t row, std::uint32_t column) const
    {
        return b_transposed ? b[column * b_pitch + row] : b[row * b_pitch + column];
    }
};

/// Number of lanes that compute one product.
[[nodiscard]] constexpr std::uint32_t product_lanes(const ArrayShape& shape,
                                                    const Configuration& configuration)
{
    return configuration.split ? shape.array_lanes() : shape.lanes();
}

} // namespace levee::veda
