// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/product.hpp"

#include <cstdint>
#include <vector>

namespace levee::rsa {

/// Interface of hardware that multiplies. The hardware computes sums instead of the reference if
/// the block's `impl` is not `tlm`. The reference still applies the scales.
class Engine {
public:
    virtual ~Engine() = default;
    /// Computes the products of an operation back to back. Returns the exact sums, [m][n], of each.
    /// `block` is the number of rows of A whose sums may be accumulated at the same time. `heads`
    /// is the number of products of each batch entry, for messages.
    virtual std::vector<std::vector<std::int64_t>>
    multiply(std::vector<Product> products, std::uint32_t block, std::uint32_t heads) = 0;
};

} // namespace levee::rsa
