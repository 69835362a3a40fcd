// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/gemv_checks.hpp"

#include "core/command/command_queue.hpp"
#include "core/flow/streams.hpp"
#include "core/numerics/tensor.hpp"

#include <cstddef>
#include <span>

namespace levee::veda {

namespace {

using Op = levee_veda_operation;

// Limits on elements, products and results of one descriptor, far above real use. Only a corrupt
// descriptor can have larger sizes.
constexpr std::uint32_t longest = 1u << 20;
constexpr std::uint64_t most_products = std::uint64_t{1} << 20;
constexpr std::uint64_t most_results = std::uint64_t{1} << 28;
constexpr std::uint64_t most_work = std::uint64_t{1} << 31;

void check_shape(const Op& gemv)
{
    need_field(gemv.outer[0] > 0 && gemv.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(gemv.k > 0 && gemv.k <= longest, LEVEE_ERROR_FIELD, offsetof(Op, k));
    need_field(gemv.n > 0 && gemv.n <= longest, LEVEE_ERROR_FIELD, offsetof(Op, n));
    const std::uint64_t blocks = std::uint64_t{gemv.outer[0]} * gemv.outer[1];
    need_field(blocks <= most_products, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(gemv.m > 0 && gemv.m <= most_products / blocks, LEVEE_ERROR_FIELD, offsetof(Op, m));
    need_field(gemv.n <= most_results / (blocks * gemv.m), LEVEE_ERROR_FIELD, offsetof(Op, n));
}

void check_row(std::uint64_t address, std::span<const std::int32_t> strides, unsigned type,
               std::size_t address_member, std::size_t stride_member)
{
    const std::uint64_t unit = alignment_of(type);
    need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
    for (std::size_t i = 0; i < strides.size(); ++i)
        need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                   stride_member + i * sizeof(std::int32_t));
}

void check_tensors(const Op& gemv)
{
    need_field(gemv.a != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, a));
    need_field(gemv.b != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, b));
    need_field(gemv.out != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    if (!StreamPorts::is_stream(gemv.a))
        check_row(gemv.a, gemv.a_stride, LEVEE_TYPE_FP16, offsetof(Op, a), offsetof(Op, a_stride));
    check_row(gemv.b, gemv.b_stride, LEVEE_TYPE_FP16, offsetof(Op, b), offsetof(Op, b_stride));
    if (!StreamPorts::is_stream(gemv.out))
        check_row(gemv.out, gemv.out_stride, gemv.out_type, offsetof(Op, out),
                  offsetof(Op, out_stride));
    if (gemv.ragged != LEVEE_VEDA_RAGGED_NONE)
        check_row(gemv.lengths, gemv.lengths_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
                  offsetof(Op, lengths_stride));
}

/// Checks the memory for sums, which must consist of whole words.
void check_work(const Op& gemv)
{
    need_field((gemv.work == 0) == (gemv.work_bytes == 0), LEVEE_ERROR_FIELD,
               offsetof(Op, work_bytes));
    need_field(gemv.work % sizeof(float) == 0, LEVEE_ERROR_ADDRESS, offsetof(Op, work));
    need_field(gemv.work_bytes <= most_work, LEVEE_ERROR_FIELD, offsetof(Op, work_bytes));
}

/// Checks the stream ports. A tap passes elements from one port to another; results must then go to
/// memory.
void check_ports(const Op& gemv)
{
    const bool from_stream = StreamPorts::is_stream(gemv.a);
    need_field(!from_stream || gemv.out != gemv.a, LEVEE_ERROR_STREAM, offsetof(Op, out));
    if (gemv.tap == 0)
        return;
    need_field(from_stream && !StreamPorts::is_stream(gemv.out), LEVEE_ERROR_FIELD,
               offsetof(Op, tap));
    need_field(LEVEE_STREAM(gemv.tap - 1) != gemv.a, LEVEE_ERROR_STREAM, offsetof(Op, tap));
}

} // namespace

void check(const Op& gemv)
{
    check_shape(gemv);
    need_field(gemv.mode <= LEVEE_VEDA_OUTER, LEVEE_ERROR_FIELD, offsetof(Op, mode));
    constexpr unsigned known_flags = LEVEE_VEDA_B_TRANSPOSED | LEVEE_VEDA_SPLIT | LEVEE_VEDA_CAUSAL;
    need_field((gemv.flags & ~known_flags) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(gemv.ragged <= LEVEE_VEDA_RAGGED_K, LEVEE_ERROR_FIELD, offsetof(Op, ragged));
    need_field((gemv.flags & LEVEE_VEDA_CAUSAL) == 0 || gemv.ragged != LEVEE_VEDA_RAGGED_NONE,
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(gemv.ragged == LEVEE_VEDA_RAGGED_NONE || gemv.lengths != 0, LEVEE_ERROR_FIELD,
               offsetof(Op, lengths));
    need_field(gemv.out_type == LEVEE_TYPE_FP16 || gemv.out_type == LEVEE_TYPE_FP32,
               LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    check_tensors(gemv);
    check_work(gemv);
    check_ports(gemv);
}

} // namespace levee::veda
