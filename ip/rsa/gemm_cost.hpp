// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/product_list.hpp"
#include "ip/rsa/timing.hpp"

#include <cstdint>

namespace levee::rsa {

struct GemmCost {
    std::uint64_t cycles = 0;
    std::uint64_t load_cycles = 0; ///< Cycles of folds whose time is limited by loading B.
    std::uint64_t macs = 0;
    std::uint64_t folds = 0;
    std::uint64_t passes = 0;    ///< Passes, summed over folds.
    std::uint64_t byte_macs = 0; ///< 8-bit multiply-accumulates; each pass over an element counts.
    std::uint64_t scalings = 0;  ///< Number of sums of groups that are scaled.
};

/// Bytes that an operation reads and writes. `bias` covers only products that each have their own
/// bias.
struct GemmTraffic {
    std::uint64_t a = 0, b = 0, b_elsewhere = 0, a_scale = 0, b_scale = 0, out = 0, bias = 0;
};

/// Computes the cost of an operation's products by the array's timing rule. `passes` is the number
/// of passes of the array over each element.
class GemmCounter {
public:
    GemmCounter(const ArrayShape& array, const GemmOperation& gemm, unsigned passes)
        : array_(array), gemm_(gemm), passes_(passes)
    {
    }
    [[nodiscard]] GemmCost count(std::span<const ProductGroup> groups, GemmTraffic& traffic) const;

private:
    [[nodiscard]] ArrayShape array_in_place() const;
    [[nodiscard]] ProductCost cost_of_one(const ProductGroup& group) const;

    const ArrayShape& array_;
    const GemmOperation& gemm_;
    unsigned passes_;
};

} // namespace levee::rsa
