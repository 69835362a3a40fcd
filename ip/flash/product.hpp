// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace levee::flash {

/// Element formats of a product. Weights are signed and have 4 or 8 bits; two 4-bit weights share a
/// byte, the low half first. Inputs are signed and have 1 or 2 bytes.
struct ProductFormat {
    std::uint32_t weight_bits = 8;
    std::uint32_t input_bytes = 1;

    /// Returns the largest possible magnitude of a sum of `count` products.
    [[nodiscard]] std::uint64_t largest(std::uint64_t count) const
    {
        return count << (weight_bits - 1 + 8 * input_bytes - 1);
    }
};

/// Returns weight `index` of a page.
[[nodiscard]] std::int32_t weight_at(const ProductFormat& format,
                                     std::span<const std::uint8_t> page, std::size_t index);
/// Returns input `index` of a vector, which is little endian.
[[nodiscard]] std::int32_t input_at(const ProductFormat& format,
                                    std::span<const std::uint8_t> vector, std::size_t index);

/// Copies `count` weights, from position `from` in one row to position `to` in another. The bits at
/// the target must be 0.
void copy_weights(std::uint32_t weight_bits, std::span<const std::uint8_t> source, std::size_t from,
                  std::size_t count, std::span<std::uint8_t> target, std::size_t to);

/// Computes one core's share of a product (Cambricon-LLM, section IV-B). Each of the `sums.size()`
/// rows of a page is multiplied by `columns` inputs from `first` on; the result is added to the
/// row's element of `sums`. Rows are `stride` weights apart. Sums are exact if they fit in the
/// elements of `sums`.
void multiply_page(const ProductFormat& format, std::span<const std::uint8_t> page,
                   std::uint32_t stride, std::span<const std::uint8_t> vector, std::size_t first,
                   std::uint32_t columns, std::span<std::int64_t> sums);

/// A partial result of one or two bytes: sum / 2^shift, rounded to nearest (halves up) and
/// saturated to +-127 or +-32767.
struct Requantised {
    std::int64_t value; ///< The value that the NPU adds: the rounded result times 2^shift.
    bool saturated;
};
[[nodiscard]] Requantised requantise(std::int64_t sum, std::uint32_t shift, std::uint32_t bytes);

} // namespace levee::flash
