// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/gemm_operation.hpp"

#include "core/flow/streams.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/gemm_checks.hpp"
#include "ip/rsa/model.hpp"

#include <cstring>

namespace levee::rsa {

namespace {

constexpr Loop once{1, 0};

} // namespace

void GemmOperation::read(const levee_descriptor& descriptor)
{
    std::memcpy(&gemm_, descriptor.operation, sizeof gemm_);
    check(gemm_);
    to_stream_ = StreamPorts::is_stream(gemm_.out);
    from_stream_ = StreamPorts::is_stream(gemm_.b);
}

std::uint64_t GemmOperation::scales_of_column() const
{
    return groups_of(gemm_.k, scale_group());
}

/// Returns the group's rows of an operand. With ragged M, the rows of successive products are
/// consecutive in memory, except rows of A that a list places.
OperandLoops GemmOperation::share_of(OperandLoops all, const ProductGroup& group) const
{
    if (!shares_rows())
        return all;
    if (all.field == field_out || !is_listed())
        all.address = offset_by(all.address, all.row.stride, group.row);
    all.row.count = group.m;
    return all;
}

OperandLoops GemmOperation::a(const ProductGroup& group) const
{
    return share_of({gemm_.a,
                     gemm_.a_stride,
                     bytes_of(group.k, gemm_.a_type),
                     {gemm_.m1, gemm_.a_stride[2]},
                     {gemm_.m0, gemm_.a_stride[3]},
                     field_a},
                    group);
}

OperandLoops GemmOperation::b(std::uint64_t k, std::uint64_t n) const
{
    return {gemm_.b,
            gemm_.b_stride,
            bytes_of(is_transposed() ? k : n, gemm_.b_type),
            once,
            {is_transposed() ? n : k, gemm_.b_stride[2]},
            field_b};
}

OperandLoops GemmOperation::a_scale(const ProductGroup& group) const
{
    return share_of({gemm_.a_scale,
                     gemm_.a_scale_stride,
                     sizeof(float),
                     {gemm_.m1, gemm_.a_scale_stride[2]},
                     {gemm_.m0, gemm_.a_scale_stride[3]},
                     field_a_scale},
                    group);
}

OperandLoops GemmOperation::keep(const ProductGroup& group) const
{
    OperandLoops factors = a_scale(group);
    factors.address = gemm_.bias;
    factors.field = field_bias;
    return factors;
}

OperandLoops GemmOperation::b_scale(std::uint64_t n) const
{
    return {gemm_.b_scale, gemm_.b_scale_stride,         scales_of_column() * sizeof(float),
            once,          {n, gemm_.b_scale_stride[2]}, field_b_scale};
}

OperandLoops GemmOperation::out(const ProductGroup& group) const
{
    return share_of({gemm_.out,
                     gemm_.out_stride,
                     group.n * sizeof(float),
                     {gemm_.m1, gemm_.out_stride[2]},
                     {gemm_.m0, gemm_.out_stride[3]},
                     field_out},
                    group);
}

OperandLoops GemmOperation::own_bias(std::uint64_t n) const
{
    return {gemm_.bias, gemm_.lengths_stride, n * sizeof(float), once, once, field_bias};
}

AccessPattern GemmOperation::bias() const
{
    AccessPattern pattern;
    pattern.address = gemm_.bias;
    pattern.run_bytes = sizeof(float);
    pattern.count[2] = gemm_.n;
    pattern.stride[2] = sizeof(float);
    return pattern;
}

AccessPattern GemmOperation::columns_of(const ProductGroup& only, std::uint64_t begin,
                                        std::uint64_t end) const
{
    ProductGroup narrow = only;
    narrow.n = end - begin;
    OperandLoops columns = out(narrow);
    columns.address += begin * sizeof(float);
    return part(columns, 0);
}

AccessPattern GemmOperation::part(const OperandLoops& operand, std::size_t product) const
{
    AccessPattern pattern;
    pattern.address =
        offset_by(offset_by(operand.address, operand.outer[0], product / gemm_.outer[1]),
                  operand.outer[1], product % gemm_.outer[1]);
    pattern.run_bytes = operand.run_bytes;
    pattern.count = {1, operand.row.count, operand.inner.count};
    pattern.stride = {0, operand.row.stride, operand.inner.stride};
    return pattern;
}

std::uint32_t GemmOperation::scale_group() const
{
    const unsigned log2 = gemm_.flags >> LEVEE_RSA_GROUP_SHIFT;
    return log2 == 0 ? 0 : 1u << log2;
}

bool GemmOperation::is_one_product() const
{
    return product_count() == 1 && !shares_rows();
}

std::uint64_t GemmOperation::m() const
{
    return std::uint64_t{gemm_.m1} * gemm_.m0;
}

std::size_t GemmOperation::product_count() const
{
    return std::size_t{gemm_.outer[0]} * gemm_.outer[1];
}

std::uint64_t GemmOperation::row_elements(std::uint64_t n) const
{
    return to_stream_ ? gemm_.n : n;
}

} // namespace levee::rsa
