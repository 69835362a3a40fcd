// SPDX-License-Identifier: Apache-2.0
// Bit-exact reference of the PE arrays.
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>

namespace levee::veda {

/// Product of two FP16 numbers, which is exact in FP32 except for the payload of a NaN.
[[nodiscard]] float exact_product(std::uint16_t a, std::uint16_t b);

/// The array's output for a sum: canonical FP32, or FP16 (rounded to nearest, ties to even) in the
/// lower half.
[[nodiscard]] std::uint32_t result_bits(float sum, bool narrow);

/// Computes the product and writes product.out. Sums start at +0. A lane without operands counts as
/// a product of +0.
///
/// Inner mode processes pieces of `product_lanes` elements. Neighbouring lanes are added, then
/// neighbouring sums, until one sum remains; this is added to the sum of the earlier pieces. Outer
/// mode sums each result in the order of k. With two partial sums, pieces (in outer mode: elements
/// of k) go to them in turn. At the end, the second partial sum is added to the first.
void multiply(const ArrayShape& shape, const Configuration& configuration, const Product& product);

} // namespace levee::veda
