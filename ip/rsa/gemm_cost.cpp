// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/gemm_cost.hpp"

#include "core/numerics/tensor.hpp"

#include <utility>

namespace levee::rsa {

GemmCost GemmCounter::count(std::span<const ProductGroup> groups, GemmTraffic& traffic) const
{
    const levee_rsa_operation& op = gemm_.op();
    ProductCost all;
    GemmCost cost;
    for (const ProductGroup& group : groups) {
        const ProductCost one = cost_of_one(group);
        all.cycles += group.count * one.cycles;
        all.leaving = one.leaving;
        cost.load_cycles += group.count * one.load_cycles;
        all.folds += group.count * one.folds;
        cost.macs += group.count * group.m * group.k * group.n;
        traffic.a += group.count * bytes_of(group.k, op.a_type) * one.streamed_rows;
        const OperandLoops b = gemm_.b(group.k, group.n);
        const std::uint64_t here =
            group.count * b.inner.count - group.rows_elsewhere - group.rows_free;
        traffic.b += here * b.run_bytes * one.stationary_loads;
        traffic.b_elsewhere += group.rows_elsewhere * b.run_bytes * one.stationary_loads;
        traffic.a_scale += group.count * group.m * sizeof(float);
        // If there is one scale per column, it stays in the array for all blocks of rows. Scales of
        // groups are read again each time that B is read.
        traffic.b_scale += group.count * group.n * gemm_.scales_of_column() * sizeof(float) *
                           (gemm_.scale_group() == 0 ? 1 : one.stationary_loads);
        if (gemm_.scale_group() != 0)
            cost.scalings += group.count * group.m * group.n * gemm_.scales_of_column();
        traffic.out += group.count * group.m * group.n * sizeof(float);
        traffic.bias += group.count * group.n * sizeof(float);
    }
    cost.cycles = operation_cycles(array_, all);
    cost.folds = all.folds;
    cost.passes = all.folds * passes_;
    cost.byte_macs = cost.macs * passes_;
    return cost;
}

/// Returns the array's shape in the orientation of B. In the weight-stationary dataflow, a stored
/// row of B is loaded into a row of the array. Stored rows of a transposed B correspond to n, so
/// the array's rows and columns are exchanged.
ArrayShape GemmCounter::array_in_place() const
{
    ArrayShape array = array_;
    if (gemm_.is_transposed() && array.dataflow == Dataflow::WeightStationary)
        std::swap(array.rows, array.columns);
    return array;
}

/// Cost of one product. Stored rows of B that are free (LEVEE_RSA_PARTIAL_FREE) are not loaded, but
/// A still passes through them.
ProductCost GemmCounter::cost_of_one(const ProductGroup& group) const
{
    const levee_rsa_operation& op = gemm_.op();
    const auto cost = [&](std::uint64_t k, std::uint64_t n) {
        // Each pass loads 8 bits of every stationary element, so the element size determines the
        // loading time.
        return cost_of(array_in_place(),
                       {group.m, k, n, passes_, bits_of_type(op.b_type), gemm_.scale_group()});
    };
    ProductCost all = cost(group.k, group.n);
    const std::uint64_t free = group.rows_free / group.count;
    if (free == 0)
        return all;
    const ProductCost loaded =
        gemm_.is_transposed() ? cost(group.k, group.n - free) : cost(group.k - free, group.n);
    all.load_cycles = loaded.load_cycles;
    all.cycles = loaded.cycles + (all.folds - loaded.folds) * passes_ * group.m;
    return all;
}

} // namespace levee::rsa
