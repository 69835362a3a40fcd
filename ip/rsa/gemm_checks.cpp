// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/gemm_checks.hpp"

#include "core/command/command_queue.hpp"
#include "core/flow/streams.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/rsa/model.hpp"

#include <cstddef>
#include <span>

namespace levee::rsa {

namespace {

using Op = levee_rsa_operation;

// Limits on the products and results of one descriptor, far above real use. Only a corrupt
// descriptor can have larger numbers.
constexpr std::uint64_t most_products = std::uint64_t{1} << 20;
constexpr std::uint64_t most_results = std::uint64_t{1} << 30;

/// Whether B may come from a stream port, because the operation is a single product and reads all
/// rows of B in order.
bool is_one_plain_product(const Op& gemm)
{
    const std::uint64_t row_bytes =
        bytes_of((gemm.flags & LEVEE_RSA_B_TRANSPOSED) != 0 ? gemm.k : gemm.n, gemm.b_type);
    return gemm.outer[0] == 1 && gemm.outer[1] == 1 && gemm.redirect == 0 &&
           gemm.ragged == LEVEE_RSA_RAGGED_NONE && gemm.b_stride[2] >= 0 &&
           static_cast<std::uint64_t>(gemm.b_stride[2]) >= row_bytes;
}

bool shares_rows(const Op& gemm)
{
    return gemm.ragged >= LEVEE_RSA_RAGGED_M;
}

/// Checks an operation with ragged M. Products that share the rows of A and of out may differ only
/// in B, its scales and bias.
void check_shares(const Op& gemm)
{
    if (!shares_rows(gemm))
        return;
    need_field(gemm.outer[1] == 1, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(gemm.m0 == 1, LEVEE_ERROR_FIELD, offsetof(Op, m0));
    need_field(gemm.a_stride[0] == 0, LEVEE_ERROR_FIELD, offsetof(Op, a_stride));
    need_field(gemm.a_scale_stride[0] == 0, LEVEE_ERROR_FIELD, offsetof(Op, a_scale_stride));
    need_field(gemm.out_stride[0] == 0, LEVEE_ERROR_FIELD, offsetof(Op, out_stride));
    need_field(gemm.redirect == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, redirect));
    need_field(gemm.tap == 0, LEVEE_ERROR_FIELD, offsetof(Op, tap));
    need_field((gemm.flags & (LEVEE_RSA_ACCUMULATE | LEVEE_RSA_PARTIAL_FREE)) == 0,
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!StreamPorts::is_stream(gemm.out), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need_field(!StreamPorts::is_stream(gemm.b), LEVEE_ERROR_STREAM, offsetof(Op, b));
}

void check_groups(const Op& gemm)
{
    const unsigned log2 = gemm.flags >> LEVEE_RSA_GROUP_SHIFT;
    if (log2 == 0)
        return;
    need_field(log2 >= LEVEE_RSA_MIN_GROUP_LOG2 &&
                   (gemm.ragged == LEVEE_RSA_RAGGED_NONE || shares_rows(gemm)) &&
                   gemm.redirect == 0,
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(gemm.b_scale != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, b_scale));
}

void check_shape(const Op& gemm)
{
    need_field(gemm.outer[0] > 0 && gemm.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(gemm.m1 > 0, LEVEE_ERROR_FIELD, offsetof(Op, m1));
    need_field(gemm.m0 > 0, LEVEE_ERROR_FIELD, offsetof(Op, m0));
    need_field(gemm.k > 0 && gemm.k <= max_inner(static_cast<levee_type>(gemm.b_type)),
               LEVEE_ERROR_FIELD, offsetof(Op, k));
    need_field(gemm.n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field(gemm.ragged <= LEVEE_RSA_RAGGED_M_LISTED, LEVEE_ERROR_FIELD, offsetof(Op, ragged));
    need_field(
        (gemm.flags & ~(LEVEE_RSA_B_TRANSPOSED | LEVEE_RSA_ACCUMULATE | LEVEE_RSA_PARTIAL_FREE |
                        LEVEE_RSA_RING_1 | LEVEE_RSA_GROUP(LEVEE_RSA_MAX_GROUP_LOG2))) == 0 &&
            ((gemm.flags & LEVEE_RSA_ACCUMULATE) == 0 || !StreamPorts::is_stream(gemm.out)),
        LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(gemm.a_type <= LEVEE_TYPE_INT3 && gemm.b_type <= LEVEE_TYPE_INT3, LEVEE_ERROR_TYPE,
               offsetof(Op, a_type));
    need_field(passes(static_cast<levee_type>(gemm.a_type), static_cast<levee_type>(gemm.b_type)) >
                   0,
               LEVEE_ERROR_TYPE, offsetof(Op, a_type));
    need_field(gemm.ragged == LEVEE_RSA_RAGGED_NONE || gemm.lengths != 0, LEVEE_ERROR_FIELD,
               offsetof(Op, lengths));
    need_field(gemm.a != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, a));
    need_field(gemm.b != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, b));
    need_field(gemm.out != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    need_field(gemm.tap == 0 || !StreamPorts::is_stream(gemm.out), LEVEE_ERROR_FIELD,
               offsetof(Op, tap));
    need_field(!StreamPorts::is_stream(gemm.b) || is_one_plain_product(gemm), LEVEE_ERROR_STREAM,
               offsetof(Op, b));
    need_field(std::uint64_t{gemm.outer[0]} * gemm.outer[1] <= most_products, LEVEE_ERROR_FIELD,
               offsetof(Op, outer));
    const std::uint64_t products =
        shares_rows(gemm) ? 1 : std::uint64_t{gemm.outer[0]} * gemm.outer[1];
    need_field(std::uint64_t{gemm.m1} * gemm.m0 * gemm.n <= most_results / products,
               LEVEE_ERROR_FIELD, offsetof(Op, n));
}

void check_alignment(const Op& gemm)
{
    const auto aligned = [](std::uint64_t address, std::span<const std::int32_t> strides,
                            unsigned type, std::size_t address_member, std::size_t stride_member) {
        const std::uint64_t unit = alignment_of(type);
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
        for (std::size_t i = 0; address != 0 && i < strides.size(); ++i)
            need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                       stride_member + i * sizeof(std::int32_t));
    };
    aligned(gemm.a, gemm.a_stride, gemm.a_type, offsetof(Op, a), offsetof(Op, a_stride));
    if (!StreamPorts::is_stream(gemm.b))
        aligned(gemm.b, gemm.b_stride, gemm.b_type, offsetof(Op, b), offsetof(Op, b_stride));
    aligned(gemm.a_scale, gemm.a_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, a_scale),
            offsetof(Op, a_scale_stride));
    aligned(gemm.b_scale, gemm.b_scale_stride, LEVEE_TYPE_FP32, offsetof(Op, b_scale),
            offsetof(Op, b_scale_stride));
    aligned(gemm.bias, {}, LEVEE_TYPE_FP32, offsetof(Op, bias), 0);
    if (!StreamPorts::is_stream(gemm.out))
        aligned(gemm.out, gemm.out_stride, LEVEE_TYPE_FP32, offsetof(Op, out),
                offsetof(Op, out_stride));
    if (gemm.ragged != LEVEE_RSA_RAGGED_NONE)
        aligned(gemm.lengths, gemm.lengths_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
                offsetof(Op, lengths_stride));
}

} // namespace

void check(const Op& gemm)
{
    check_shape(gemm);
    check_shares(gemm);
    check_groups(gemm);
    check_alignment(gemm);
}

} // namespace levee::rsa
