// SPDX-License-Identifier: Apache-2.0
// The reference: every bit the PE arrays compute.
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>

namespace levee::veda {

/// Product of two FP16 numbers, exact in FP32 except for the payload of a NaN.
[[nodiscard]] float exact_product(std::uint16_t a, std::uint16_t b);

/// An array's output for this sum: the bits of canonical FP32, or FP16 (nearest, ties to even) in
/// the lower half.
[[nodiscard]] std::uint32_t result_bits(float sum, bool narrow);

/// Writes product.out. Sums start at +0, and a lane without operands counts as a product of +0.
/// Inner mode adds neighbouring lanes of each piece of `product_lanes` elements, then neighbouring
/// sums, until one remains, which is added to the sum of the earlier pieces. Outer mode sums each
/// result in the order of k. With two partial sums, pieces (or elements of k) are added to them in
/// turn, and the second to the first at the end.
void multiply(const ArrayShape& shape, const Configuration& configuration, const Product& product);

} // namespace levee::veda
