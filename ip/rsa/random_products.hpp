// SPDX-License-Identifier: Apache-2.0
// Random products for the tests of the systolic arrays.
#pragma once

#include "core/rtl/bench.hpp"
#include "ip/rsa/product.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace levee::cosim {

/// Draws a product of any type, transposed or not, with or without groups. Its sizes are multiples
/// of the array's rows and columns, one more or less than a multiple, or very small.
[[nodiscard]] rsa::Product draw_product(Draw& draw, std::uint32_t array_rows,
                                        std::uint32_t array_columns);

/// Draws types and operands of a product of this size, with sums over all of k.
[[nodiscard]] rsa::Product draw_product_of(Draw& draw, std::uint32_t m, std::uint32_t k,
                                           std::uint32_t n, bool is_transposed);

/// Draws random back-pressure for an array with this many lanes and, in half of the cases, a reset.
template <typename Work> void draw_end(Draw& draw, std::uint32_t lanes, Drawn<Work>& drawn)
{
    drawn.draw_gates(draw);
    if (!draw.one_in(2))
        return;
    drawn.most_cycles = 1 + draw.below(draw.one_in(2) ? 3 * lanes : 100);
    drawn.is_seen_idle = draw.one_in(4);
}

/// Describes sizes and types of the products.
[[nodiscard]] std::string describe_products(std::span<const rsa::Product> products);

} // namespace levee::cosim
