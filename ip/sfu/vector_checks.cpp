// SPDX-License-Identifier: Apache-2.0
// What a descriptor must be like.
#include "ip/sfu/vector_run.hpp"

#include <cstdlib>
#include <limits>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

// Most vectors of one descriptor: above any real use, it bounds what a corrupt one allocates.
constexpr std::uint64_t most_vectors = std::uint64_t{1} << 24;

} // namespace

void VectorRun::check() const
{
    constexpr std::uint8_t known_flags = LEVEE_SFU_ROPE_HALVES | LEVEE_SFU_CAUSAL |
                                         LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS |
                                         LEVEE_SFU_SCATTER_SCALE | LEVEE_SFU_FIRST;
    need_field(op_.outer[0] > 0 && op_.outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(op_.rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(op_.n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field((op_.flags & ~known_flags) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(op_.x != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, x));
    need_field(op_.out != 0 || (opcode_ == LEVEE_SFU_SOFTMAX_KNOWN && op_.tap != 0),
               LEVEE_ERROR_ADDRESS, offsetof(Op, out));
    need_field(op_.gain != 0 || !(reads_running() || writes_running()), LEVEE_ERROR_ADDRESS,
               offsetof(Op, gain));
    need_field(op_.bias != 0 || !writes_running(), LEVEE_ERROR_ADDRESS, offsetof(Op, bias));
    need_field(!has_flag(LEVEE_SFU_FIRST) || writes_running(), LEVEE_ERROR_FIELD,
               offsetof(Op, flags));
    const bool needs_y =
        opcode_ == LEVEE_SFU_ROPE || opcode_ == LEVEE_SFU_SILU_MUL || opcode_ == LEVEE_SFU_ADD;
    need_field(!needs_y || op_.y != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, y));
    need_field(opcode_ != LEVEE_SFU_ROPE || op_.n % 2 == 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    const bool needs_indices = opcode_ == LEVEE_SFU_EMBED || opcode_ == LEVEE_SFU_LOG_PROB ||
                               (op_.flags & LEVEE_SFU_SCATTER) != 0;
    need_field(!needs_indices || op_.indices != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, indices));
    need_field(std::uint64_t{op_.outer[0]} * op_.outer[1] * op_.rows <= most_vectors,
               LEVEE_ERROR_FIELD, offsetof(Op, outer));
}

/// What stands beside what: flags, taps, ports.
void VectorRun::check_flags() const
{
    need_field((op_.flags & LEVEE_SFU_SCATTER) == 0 ||
                   (opcode_ != LEVEE_SFU_EMBED && opcode_ != LEVEE_SFU_LOG_PROB),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field((op_.flags & LEVEE_SFU_CAUSAL) == 0 || is_softmax(), LEVEE_ERROR_FIELD,
               offsetof(Op, flags));
    need_field(op_.tap == 0 || (is_softmax() && !streams_out()), LEVEE_ERROR_FIELD,
               offsetof(Op, tap));
    need_field(!streams_out() || !is_pick(), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need_field(!streams_out() || !has_flag(LEVEE_SFU_SCATTER), LEVEE_ERROR_FIELD,
               offsetof(Op, flags));
    need_field(!has_flag(LEVEE_SFU_ROW_WORDS) || opcode_ == LEVEE_SFU_ROPE ||
                   has_flag(LEVEE_SFU_SCATTER),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has_flag(LEVEE_SFU_SCATTER_SCALE) ||
                   (has_flag(LEVEE_SFU_SCATTER) && !is_pick() && is_integer(op_.out_type)),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
}

void VectorRun::check_alignment() const
{
    const auto aligned = [](std::uint64_t address, auto& strides, unsigned type,
                            std::size_t address_member, std::size_t stride_member) {
        const std::uint64_t unit = alignment_of(type);
        need_field(address % unit == 0, LEVEE_ERROR_ADDRESS, address_member);
        for (std::size_t i = 0; address != 0 && i < std::size(strides); ++i)
            need_field(strides[i] % static_cast<std::int64_t>(unit) == 0, LEVEE_ERROR_ADDRESS,
                       stride_member + i * sizeof strides[i]);
    };
    constexpr std::int32_t none[] = {0};
    constexpr unsigned word = LEVEE_TYPE_FP32;
    if (!StreamPorts::is_stream(op_.x))
        aligned(op_.x, op_.x_stride, op_.x_type, offsetof(Op, x), offsetof(Op, x_stride));
    aligned(op_.y, op_.y_stride, y_type(), offsetof(Op, y), offsetof(Op, y_stride));
    if (!streams_out())
        aligned(op_.out, op_.out_stride, is_pick() ? word : op_.out_type, offsetof(Op, out),
                offsetof(Op, out_stride));
    aligned(op_.out_scale, op_.out_scale_stride, word, offsetof(Op, out_scale),
            offsetof(Op, out_scale_stride));
    if (reads_running() || writes_running()) {
        aligned(op_.gain, op_.out_scale_stride, word, offsetof(Op, gain),
                offsetof(Op, out_scale_stride));
        for (std::size_t i = 0; i < std::size(op_.out_scale_stride); ++i)
            need_field(std::abs(std::int64_t{op_.out_scale_stride[i]}) <=
                           std::numeric_limits<std::int32_t>::max() / running_words,
                       LEVEE_ERROR_ADDRESS,
                       offsetof(Op, out_scale_stride) + i * sizeof op_.out_scale_stride[i]);
    }
    aligned(op_.gain, none, word, offsetof(Op, gain), 0);
    aligned(op_.bias, none, word, offsetof(Op, bias), 0);
    aligned(op_.lengths, op_.lengths_stride, word, offsetof(Op, lengths),
            offsetof(Op, lengths_stride));
    aligned(op_.indices, op_.indices_stride, word, offsetof(Op, indices),
            offsetof(Op, indices_stride));
    aligned(op_.positions, op_.positions_stride, word, offsetof(Op, positions),
            offsetof(Op, positions_stride));
}

void VectorRun::check_types() const
{
    if (opcode_ == LEVEE_SFU_EMBED) {
        const bool scaled = is_weight_code(op_.x_type);
        need_field(scaled || op_.x_type == LEVEE_TYPE_FP32 || op_.x_type == LEVEE_TYPE_FP16,
                   LEVEE_ERROR_TYPE, offsetof(Op, x_type));
        need_field(!scaled || op_.gain != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, gain));
    } else {
        need_field(op_.x_type == LEVEE_TYPE_FP32 ||
                       (op_.x_type == LEVEE_TYPE_FP16 && !StreamPorts::is_stream(op_.x)),
                   LEVEE_ERROR_TYPE, offsetof(Op, x_type));
    }
    need_field(op_.y_type == LEVEE_TYPE_NONE || op_.y_type == LEVEE_TYPE_FP32 ||
                   (op_.y_type == LEVEE_TYPE_FP16 && has_rows_y()),
               LEVEE_ERROR_TYPE, offsetof(Op, y_type));
    const bool grouped = opcode_ == LEVEE_SFU_EMBED && is_weight_code(op_.x_type) &&
                         op_.scale_group >= LEVEE_SFU_MIN_GROUP_LOG2 &&
                         op_.scale_group <= LEVEE_SFU_MAX_GROUP_LOG2;
    need_field(op_.scale_group == 0 || grouped, LEVEE_ERROR_FIELD, offsetof(Op, scale_group));
    if (is_pick())
        return;
    need_field(
        op_.out_type == LEVEE_TYPE_FP32 ||
            (!streams_out() && (op_.out_type == LEVEE_TYPE_FP16 || is_integer(op_.out_type))),
        LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    need_field(!is_integer(op_.out_type) || op_.out_scale != 0, LEVEE_ERROR_ADDRESS,
               offsetof(Op, out_scale));
}

} // namespace levee::sfu
