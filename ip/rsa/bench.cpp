// SPDX-License-Identifier: Apache-2.0
// Random tests of the array. Products of all types run back to back. B is transposed or not, and
// its pieces are full or partial.
#include "core/rtl/bench.hpp"

#include "ip/rsa/driver.hpp"
#include "ip/rsa/random_products.hpp"

#include <string>

namespace levee::rsa {

namespace {

using namespace cosim;

/// Draws products that each have a single piece of B. The last piece stays loaded for hundreds of
/// rows of A.
Work draw_staying(Draw& draw, const Shape& shape)
{
    Work work;
    work.stays = true;
    for (const std::uint32_t m : {1 + draw.below(3), draw_stay(draw)}) {
        const bool is_transposed = draw.one_in(2);
        const std::uint32_t row = 1 + draw.below(shape.rows),
                            column = 1 + draw.below(shape.columns);
        work.products.push_back(draw_product_of(draw, m, is_transposed ? column : row,
                                                is_transposed ? row : column, is_transposed));
    }
    return work;
}

Drawn<Work> draw_work(Draw& draw, std::uint64_t index, const Shape& shape)
{
    Drawn<Work> drawn;
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i)
        drawn.work.products.push_back(draw_product(draw, shape.rows, shape.columns));
    drawn.work.block = draw.one_in(2) ? UINT32_MAX : 1 + draw.below(4);
    draw_end(draw, shape.lanes(), drawn);
    if (is_long_stay(index)) {
        drawn.work = draw_staying(draw, shape);
        drawn.most_cycles = UINT64_MAX;
    }
    drawn.text = describe_products(drawn.work.products);
    if (drawn.work.block != UINT32_MAX)
        drawn.text += ", " + std::to_string(drawn.work.block) + " rows at once";
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_work>>(make, options);
}

} // namespace levee::rsa
