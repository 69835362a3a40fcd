// SPDX-License-Identifier: Apache-2.0
// Products at random for the systolic arrays' benches.
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace levee::cosim {

/// Draws a product of any type, transposed or not, with groups or without. Its sizes are multiples
/// of the array's rows and columns, one more or less, or very small.
[[nodiscard]] rsa::Product draw_product(Draw& draw, std::uint32_t array_rows,
                                        std::uint32_t array_columns);

/// Draws types and operands of a product of this size, with sums over all of k.
[[nodiscard]] rsa::Product draw_product_of(Draw& draw, std::uint32_t m, std::uint32_t k,
                                           std::uint32_t n, bool is_transposed);

/// Draws gates and, in one of two, a reset of an array of so many lanes.
template <typename Work> void draw_end(Draw& draw, std::uint32_t lanes, Drawn<Work>& drawn)
{
    drawn.draw_gates(draw);
    if (!draw.one_in(2))
        return;
    drawn.most_cycles = 1 + draw.below(draw.one_in(2) ? 3 * lanes : 100);
    drawn.is_seen_idle = draw.one_in(4);
}

/// Sizes and types of the products.
[[nodiscard]] std::string describe_products(std::span<const rsa::Product> products);

} // namespace levee::cosim
