// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/product.hpp"

#include <cstdint>
#include <vector>

namespace levee::rsa {

/// Hardware that multiplies. It replaces the reference's sums in blocks whose `impl` is not `tlm`;
/// scales are applied by the reference.
class Engine {
public:
    virtual ~Engine() = default;
    /// Computes the products of an operation back to back and returns the exact sums, [m][n], of
    /// each. `block`: largest number of rows of A whose sums are accumulated at once; `heads`:
    /// products of an entry, for messages.
    virtual std::vector<std::vector<std::int64_t>>
    multiply(std::vector<Product> products, std::uint32_t block, std::uint32_t heads) = 0;
};

} // namespace levee::rsa
