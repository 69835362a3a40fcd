// SPDX-License-Identifier: Apache-2.0
// Random tests of the output-stationary array. Products of all types run back to back. B is
// transposed or not, and its pieces are full or partial.
#include "core/rtl/bench.hpp"

#include "ip/rsa/output/driver.hpp"
#include "ip/rsa/random_products.hpp"

#include <algorithm>
#include <string>

namespace levee::rsa::output {

namespace {

using namespace cosim;

Drawn<Work> draw_work(Draw& draw, std::uint64_t index, const Shape& shape)
{
    Drawn<Work> drawn;
    for (std::uint32_t i = 1 + draw.below(3); i > 0; --i)
        drawn.work.products.push_back(draw_product(draw, shape.rows, shape.columns));
    draw_end(draw, std::max(shape.rows, shape.columns), drawn);
    if (is_long_stay(index)) { // One product whose sums stay in the array for hundreds of steps.
        const std::uint32_t m = 1 + draw.below(shape.rows), n = 1 + draw.below(shape.columns);
        const std::uint32_t k = draw_stay(draw);
        drawn.work.products = {draw_product_of(draw, m, k, n, draw.one_in(2))};
        drawn.most_cycles = UINT64_MAX;
    }
    drawn.text = describe_products(drawn.work.products);
    return drawn;
}

} // namespace

std::unique_ptr<cosim::Bench> Ports::make_bench(MakePins make, const RtlPinsOptions& options)
{
    return std::make_unique<WorkBench<Ports, Driver, draw_work>>(make, options);
}

} // namespace levee::rsa::output
