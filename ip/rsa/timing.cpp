// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/timing.hpp"

#include "ip/common/clock.hpp"

#include <algorithm>

namespace levee::rsa {

namespace {

/// Cycles of folds, and of those that take as long as their part of B loads.
struct FoldCycles {
    std::uint64_t all = 0, loading = 0;
};

/// Of all folds over `m` rows: k is divided into pieces of `rows`, n into pieces of `columns`. A
/// fold is whole or ragged in either direction, so that there are at most four kinds.
FoldCycles fold_cycles(const ArrayShape& array, const ProductShape& product, std::uint64_t m)
{
    FoldCycles cycles;
    const std::uint64_t whole_k = product.k / array.rows;
    const std::uint64_t whole_n = product.n / array.columns;
    const std::uint64_t rest_k = product.k % array.rows;
    const std::uint64_t rest_n = product.n % array.columns;
    const auto add = [&](std::uint64_t folds, std::uint64_t rows, std::uint64_t columns) {
        if (rows == 0 || columns == 0)
            return;
        const std::uint64_t load = divide_up(rows * columns * product.bits_per_element,
                                             std::uint64_t{array.load_bytes_per_cycle} * 8);
        const std::uint64_t compute = product.passes * m;
        cycles.all += folds * (array.overlap_loads ? std::max(load, compute)
                                                   : load + compute + fill_and_drain(array));
        if (load > compute)
            cycles.loading += folds * load;
    };
    add(whole_k * whole_n, array.rows, array.columns);
    add(whole_k, array.rows, rest_n);
    add(whole_n, rest_k, array.columns);
    add(1, rest_k, rest_n);
    return cycles;
}

/// How often each of `m` rows of A is read: once for each column fold, or once for each group of
/// column folds whose partial sums fit the accumulators together.
std::uint64_t reads(const ArrayShape& array, const ProductShape& product, std::uint64_t m)
{
    const std::uint64_t together =
        array.share_reads ? std::max<std::uint64_t>(1, array.accumulator_rows / m) : 1;
    return divide_up(divide_up(product.n, array.columns), together);
}

} // namespace

std::uint64_t fill_and_drain(const ArrayShape& array)
{
    return std::uint64_t{array.rows} + array.columns - 2;
}

ProductCost cost_of(const ArrayShape& array, const ProductShape& product)
{
    const std::uint64_t whole = product.m / array.accumulator_rows;
    const std::uint64_t rest = product.m % array.accumulator_rows;
    ProductCost cost;
    cost.stationary_loads = whole + (rest > 0 ? 1 : 0);
    cost.folds = cost.stationary_loads * divide_up(product.n, array.columns) *
                 divide_up(product.k, array.rows);
    const auto add = [&](std::uint64_t blocks, std::uint64_t m) {
        if (blocks == 0 || m == 0)
            return;
        cost.streamed_rows += blocks * m * reads(array, product, m);
        const FoldCycles cycles = fold_cycles(array, product, m);
        cost.cycles += blocks * cycles.all;
        cost.load_cycles += blocks * cycles.loading;
    };
    add(whole, array.accumulator_rows);
    add(1, rest);
    return cost;
}

std::uint64_t operation_cycles(const ArrayShape& array, const ProductCost& products)
{
    if (array.overlap_loads)
        return products.cycles + fill_and_drain(array);
    return products.cycles - 1; // counted from the first cycle to the last, as SCALE-Sim does
}

} // namespace levee::rsa
