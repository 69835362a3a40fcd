// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/timing.hpp"

#include "core/units/clock.hpp"

#include <algorithm>
#include <array>

namespace levee::rsa {

namespace {

/// Cycles of all folds, and the part of them in folds whose time is limited by loading B.
struct FoldCycles {
    std::uint64_t all = 0, loading = 0;
};

struct Pieces {
    std::uint64_t count, size;
};

/// Divides k into pieces of at most the array's rows, which do not cross the ends of groups. There
/// are three kinds of pieces: full pieces, the remainder of each group, and the remainder of a
/// shorter last group.
std::array<Pieces, 3> pieces_of_k(const ArrayShape& array, const ProductShape& product)
{
    if (product.k == 0)
        return {};
    const std::uint64_t group = product.group == 0 ? product.k : product.group;
    const std::uint64_t groups = product.k / group;
    const std::uint64_t last = product.k % group;
    return {{{groups * (group / array.rows) + last / array.rows, array.rows},
             {groups, group % array.rows},
             {1, last % array.rows}}};
}

std::uint64_t count_of_k(const ArrayShape& array, const ProductShape& product)
{
    std::uint64_t count = 0;
    for (const Pieces& pieces : pieces_of_k(array, product))
        count += pieces.size > 0 ? pieces.count : 0;
    return count;
}

/// Cycles of all folds over `m` rows. k is divided by pieces_of_k(), n into pieces of `columns`.
/// Folds at the end of either dimension may be smaller.
FoldCycles fold_cycles(const ArrayShape& array, const ProductShape& product, std::uint64_t m)
{
    FoldCycles cycles;
    const std::uint64_t whole_n = product.n / array.columns;
    const std::uint64_t rest_n = product.n % array.columns;
    const auto add = [&](std::uint64_t folds, std::uint64_t rows, std::uint64_t columns) {
        if (folds == 0 || rows == 0 || columns == 0)
            return;
        const std::uint64_t load = divide_up(rows * columns * product.bits_per_element,
                                             std::uint64_t{array.load_bytes_per_cycle} * 8);
        const std::uint64_t compute = product.passes * m;
        cycles.all += folds * (array.overlap_loads ? std::max(load, compute)
                                                   : load + compute + fill_and_drain(array));
        if (load > compute)
            cycles.loading += folds * load;
    };
    for (const Pieces& k : pieces_of_k(array, product)) {
        add(k.count * whole_n, k.size, array.columns);
        add(k.count, k.size, rest_n);
    }
    return cycles;
}

/// Returns how often each of the `m` rows of A is read: once for each column fold, or once for
/// several column folds whose partial sums fit in the accumulators together.
std::uint64_t reads(const ArrayShape& array, const ProductShape& product, std::uint64_t m)
{
    const std::uint64_t together =
        array.share_reads ? std::max<std::uint64_t>(1, array.accumulator_rows / m) : 1;
    return divide_up(divide_up(product.n, array.columns), together);
}

/// Output stationary: a fold of `rows` rows of A and `columns` columns of B, for all of k.
struct OutputFold {
    FoldCycles cycles;
    std::uint64_t leaving; ///< Cycles, after the last operand, in which the last sums leave.
};

/// Computes the time of a fold. The sums of a fold, or of a group of k, leave along the columns,
/// one row per cycle, while the next sums are computed. If leaving takes longer than computing the
/// next sums or loading their operands, the next sums are delayed. The first sums never wait. After
/// the last operand, only the time for which the last sums are leaving is added.
OutputFold output_fold(const ArrayShape& array, const ProductShape& product, std::uint64_t rows,
                       std::uint64_t columns)
{
    const auto load_of = [&](std::uint64_t k) {
        return divide_up(k * columns * product.bits_per_element,
                         std::uint64_t{array.load_bytes_per_cycle} * 8);
    };
    const std::uint64_t load = load_of(product.k);
    if (product.k == 0)
        return {};
    const std::uint64_t group = product.group == 0 ? product.k : product.group;
    const std::uint64_t whole = product.k / group, rest = product.k % group;
    if (!array.overlap_loads) {
        const std::uint64_t compute = product.passes * product.k;
        const std::uint64_t sums = whole + (rest > 0 ? 1 : 0);
        return {{std::max(load, compute) + sums * array.rows + fill_and_drain(array),
                 load > compute ? load : 0},
                0};
    }
    const std::uint64_t compute = whole * std::max(product.passes * group, rows) +
                                  (rest > 0 ? std::max(product.passes * rest, rows) : 0);
    const std::uint64_t first = std::min(group, product.k);
    return {{std::max(load, compute), load > compute ? load : 0},
            std::min(rows, std::max(load_of(first), product.passes * first))};
}

ProductCost output_stationary_cost(const ArrayShape& array, const ProductShape& product)
{
    ProductCost cost;
    cost.stationary_loads = divide_up(product.m, array.rows);
    const std::uint64_t pieces_of_n = divide_up(product.n, array.columns);
    cost.streamed_rows = product.m * pieces_of_n;
    cost.folds = cost.stationary_loads * pieces_of_n;
    const std::uint64_t whole_m = product.m / array.rows, rest_m = product.m % array.rows;
    const std::uint64_t whole_n = product.n / array.columns, rest_n = product.n % array.columns;
    const auto add = [&](std::uint64_t folds, std::uint64_t rows, std::uint64_t columns) {
        if (folds == 0 || rows == 0 || columns == 0)
            return;
        const OutputFold fold = output_fold(array, product, rows, columns);
        cost.cycles += folds * fold.cycles.all;
        cost.load_cycles += folds * fold.cycles.loading;
        cost.leaving = fold.leaving;
    };
    add(whole_m * whole_n, array.rows, array.columns);
    add(whole_m, array.rows, rest_n);
    add(whole_n, rest_m, array.columns);
    add(1, rest_m, rest_n);
    return cost;
}

} // namespace

std::uint64_t fill_and_drain(const ArrayShape& array)
{
    return std::uint64_t{array.rows} + array.columns - 2;
}

ProductCost cost_of(const ArrayShape& array, const ProductShape& product)
{
    if (array.dataflow == Dataflow::OutputStationary)
        return output_stationary_cost(array, product);
    const std::uint64_t whole = product.m / array.accumulator_rows;
    const std::uint64_t rest = product.m % array.accumulator_rows;
    ProductCost cost;
    cost.stationary_loads = whole + (rest > 0 ? 1 : 0);
    cost.folds =
        cost.stationary_loads * divide_up(product.n, array.columns) * count_of_k(array, product);
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
        return products.cycles + fill_and_drain(array) + products.leaving;
    return products.cycles - 1; // Cycles are counted from the first to the last one, as SCALE-Sim
                                // does.
}

} // namespace levee::rsa
