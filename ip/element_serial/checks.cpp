// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/checks.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/flow/streams.hpp"

#include <cstddef>

namespace levee::element_serial {

namespace {

using Op = levee_es_operation;

// Limits on the elements and vectors of one descriptor, far above real use. Larger sizes can only
// come from a corrupt descriptor.
constexpr std::uint32_t longest = 1u << 20;
constexpr std::uint64_t most_vectors = std::uint64_t{1} << 24;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 28;

void check_shape(const Op& op)
{
    need_field(op.outer[0] > 0 && op.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op.rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(op.group > 0, LEVEE_ERROR_FIELD, offsetof(Op, group));
    need_field(op.n > 0 && op.n <= longest, LEVEE_ERROR_FIELD, offsetof(Op, n));
    const std::uint64_t vectors = std::uint64_t{op.outer[0]} * op.outer[1] * op.rows;
    need_field(vectors <= most_vectors, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op.n <= most_elements / vectors, LEVEE_ERROR_FIELD, offsetof(Op, n));
}

void check_function(const Op& op)
{
    need_field(op.function <= LEVEE_ES_LAYER_NORM, LEVEE_ERROR_FIELD, offsetof(Op, function));
    const bool is_softmax = op.function == LEVEE_ES_SOFTMAX;
    need_field((op.flags & ~LEVEE_ES_CAUSAL) == 0 && (op.flags == 0 || is_softmax),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(op.lengths == 0 || is_softmax, LEVEE_ERROR_FIELD, offsetof(Op, lengths));
    need_field(op.window == 0 || is_softmax, LEVEE_ERROR_FIELD, offsetof(Op, window));
    need_field(op.reserved == 0, LEVEE_ERROR_FIELD, offsetof(Op, reserved));
}

void check_reduce(const Op& op)
{
    need_field(op.x_type == LEVEE_TYPE_FP16 || op.x_type == LEVEE_TYPE_FP32, LEVEE_ERROR_TYPE,
               offsetof(Op, x_type));
    need_field(op.x_type == LEVEE_TYPE_FP32 || !StreamPorts::is_stream(op.x), LEVEE_ERROR_TYPE,
               offsetof(Op, x_type));
    need_field(!StreamPorts::is_stream(op.out), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need_field(op.gain == 0, LEVEE_ERROR_FIELD, offsetof(Op, gain));
    need_field(op.bias == 0, LEVEE_ERROR_FIELD, offsetof(Op, bias));
    need_field(op.tap == 0, LEVEE_ERROR_FIELD, offsetof(Op, tap));
    // Without out, NORMALISE later reads x instead of v, so x must equal v.
    const bool is_same = op.x_type == LEVEE_TYPE_FP16 && op.y == 0 &&
                         (op.function != LEVEE_ES_SOFTMAX || op.param == 1.0f);
    need_field(op.out != 0 || is_same, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
}

void check_normalise(const Op& op)
{
    need_field(op.x_type == LEVEE_TYPE_FP16, LEVEE_ERROR_TYPE, offsetof(Op, x_type));
    need_field(!StreamPorts::is_stream(op.x), LEVEE_ERROR_STREAM, offsetof(Op, x));
    need_field(op.y == 0, LEVEE_ERROR_FIELD, offsetof(Op, y));
    need_field(op.out != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    const bool is_norm = op.function != LEVEE_ES_SOFTMAX;
    need_field(op.gain == 0 || is_norm, LEVEE_ERROR_FIELD, offsetof(Op, gain));
    need_field(op.bias == 0 || is_norm, LEVEE_ERROR_FIELD, offsetof(Op, bias));
    need_field(op.tap == 0 || !StreamPorts::is_stream(op.out), LEVEE_ERROR_FIELD,
               offsetof(Op, tap));
}

void check_alignment(const Op& op)
{
    const auto aligned = [](std::uint64_t address, const auto& strides, unsigned type,
                            std::size_t address_member, std::size_t stride_member) {
        if (!StreamPorts::is_stream(address))
            need_aligned(address, strides, type, address_member, stride_member);
    };
    constexpr std::int32_t none[] = {0};
    aligned(op.x, op.x_stride, op.x_type, offsetof(Op, x), offsetof(Op, x_stride));
    aligned(op.y, op.y_stride, LEVEE_TYPE_FP16, offsetof(Op, y), offsetof(Op, y_stride));
    aligned(op.out, op.out_stride, LEVEE_TYPE_FP16, offsetof(Op, out), offsetof(Op, out_stride));
    aligned(op.statistics, op.statistics_stride, LEVEE_TYPE_FP32, offsetof(Op, statistics),
            offsetof(Op, statistics_stride));
    aligned(op.gain, none, LEVEE_TYPE_FP32, offsetof(Op, gain), 0);
    aligned(op.bias, none, LEVEE_TYPE_FP32, offsetof(Op, bias), 0);
    aligned(op.lengths, op.lengths_stride, LEVEE_TYPE_UINT32, offsetof(Op, lengths),
            offsetof(Op, lengths_stride));
}

} // namespace

void check(std::uint8_t opcode, const Op& op)
{
    need_field(op.x != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, x));
    need_field(op.statistics != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, statistics));
    check_shape(op);
    check_function(op);
    opcode == LEVEE_ES_REDUCE ? check_reduce(op) : check_normalise(op);
    check_alignment(op);
}

} // namespace levee::element_serial
