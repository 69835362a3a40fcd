// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace levee::flash {

/// Formats of a product: signed weights of 4 or 8 bits (4: two a byte, the low half first), signed
/// inputs of 1 or 2 bytes.
struct ProductFormat {
    std::uint32_t weight_bits = 8;
    std::uint32_t input_bytes = 1;

    /// Largest magnitude of a product of `count` weights and inputs.
    [[nodiscard]] std::uint64_t largest(std::uint64_t count) const
    {
        return count << (weight_bits - 1 + 8 * input_bytes - 1);
    }
};

/// Weight `index` of a page.
[[nodiscard]] std::int32_t weight_at(const ProductFormat& format,
                                     std::span<const std::uint8_t> page, std::size_t index);
/// Input `index` of a vector, little endian.
[[nodiscard]] std::int32_t input_at(const ProductFormat& format,
                                    std::span<const std::uint8_t> vector, std::size_t index);

/// Copies `count` weights from weight `from` of one row to weight `to` of another, whose bits must
/// be 0.
void copy_weights(std::uint32_t weight_bits, std::span<const std::uint8_t> source, std::size_t from,
                  std::size_t count, std::span<std::uint8_t> target, std::size_t to);

/// What one core computes: adds to `sums` the products of `sums.size()` rows of a page, each
/// `stride` weights long, with `columns` inputs from `first` on; exact as long as largest(columns)
/// fits. The compute core of Cambricon-LLM (section IV-B).
void multiply_page(const ProductFormat& format, std::span<const std::uint8_t> page,
                   std::uint32_t stride, std::span<const std::uint8_t> vector, std::size_t first,
                   std::uint32_t columns, std::span<std::int64_t> sums);

/// A partial result of one byte or two: sum / 2^shift, rounded to nearest, halves up, saturated to
/// +-127 or +-32767.
struct Requantised {
    std::int64_t value; ///< Value that the NPU adds, times 2^shift.
    bool saturated;
};
[[nodiscard]] Requantised requantise(std::int64_t sum, std::uint32_t shift, std::uint32_t bytes);

} // namespace levee::flash
