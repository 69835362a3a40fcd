// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_operation.hpp"

#include "core/command/tensor_rows.hpp"
#include "core/units/clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

// Limit on the vectors of one descriptor, far above real use. Only a corrupt descriptor can have
// more.
constexpr std::uint64_t most_vectors = std::uint64_t{1} << 24;
// Limit on the elements that a tap gets with TAP_LISTED.
constexpr std::uint64_t most_tapped = std::uint64_t{1} << 28;

} // namespace

VectorOperation::VectorOperation(const levee_descriptor& descriptor) : opcode(descriptor.opcode)
{
    std::memcpy(static_cast<Op*>(this), descriptor.operation, sizeof(Op));
}

bool VectorOperation::has_rows_y() const
{
    constexpr std::array binary{LEVEE_SFU_SILU_MUL, LEVEE_SFU_GELU_MUL, LEVEE_SFU_GELU_TANH_MUL,
                                LEVEE_SFU_RELU_MUL, LEVEE_SFU_ADD,      LEVEE_SFU_CLAMPED_MUL,
                                LEVEE_SFU_COMBINE};
    return std::ranges::find(binary, opcode) != binary.end();
}

std::uint64_t VectorOperation::scales_of_row() const
{
    if (!is_weight_code(x_type))
        return 0;
    return block_log2 == 0 ? 1 : divide_up(n, scaled_elements());
}

void VectorOperation::check() const
{
    check_operands();
    check_flags();
    check_types();
    check_alignment();
}

void VectorOperation::check_operands() const
{
    constexpr std::uint8_t known_flags =
        LEVEE_SFU_ROPE_HALVES | LEVEE_SFU_CAUSAL | LEVEE_SFU_SCATTER | LEVEE_SFU_ROW_WORDS |
        LEVEE_SFU_SCATTER_SCALE | LEVEE_SFU_FIRST | LEVEE_SFU_TAP_LISTED | LEVEE_SFU_SIGMOID;
    need_field(outer[0] > 0 && outer[1] > 0, LEVEE_ERROR_FIELD, offsetof(Op, outer));
    need_field(rows > 0, LEVEE_ERROR_FIELD, offsetof(Op, rows));
    need_field(n > 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
    need_field((flags & ~known_flags) == 0, LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(x != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, x));
    need_field(out != 0 || (opcode == LEVEE_SFU_SOFTMAX_KNOWN && tap != 0), LEVEE_ERROR_ADDRESS,
               offsetof(Op, out));
    need_field(gain != 0 || !has_running(), LEVEE_ERROR_ADDRESS, offsetof(Op, gain));
    need_field(bias != 0 || !writes_running(), LEVEE_ERROR_ADDRESS, offsetof(Op, bias));
    need_field(!has(LEVEE_SFU_FIRST) || writes_running(), LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(y != 0 || opcode == LEVEE_SFU_COMBINE || (opcode != LEVEE_SFU_ROPE && !has_rows_y()),
               LEVEE_ERROR_ADDRESS, offsetof(Op, y));
    need_field(!has_sinks() || opcode == LEVEE_SFU_SOFTMAX || has(LEVEE_SFU_FIRST),
               LEVEE_ERROR_FIELD, offsetof(Op, positions));
    if (opcode == LEVEE_SFU_ROPE) {
        need_field(n % 2 == 0, LEVEE_ERROR_FIELD, offsetof(Op, n));
        need_field(seed % 2 == 0 && seed <= n, LEVEE_ERROR_FIELD, offsetof(Op, seed));
    }
    need_field(window() == 0 || std::uint64_t{n} + length_add <= UINT32_MAX, LEVEE_ERROR_FIELD,
               offsetof(Op, length_add));
    const bool clamps = opcode == LEVEE_SFU_CLAMPED_MUL;
    need_field((cap == 0.0F && !clamps) ||
                   (cap > 0.0F && std::isfinite(cap) && (is_softmax() || is_pick() || clamps)),
               LEVEE_ERROR_FIELD, offsetof(Op, cap));
    need_field(!clamps || std::isfinite(param), LEVEE_ERROR_FIELD, offsetof(Op, param));
    const bool needs_indices = opcode == LEVEE_SFU_EMBED || opcode == LEVEE_SFU_LOG_PROB ||
                               opcode == LEVEE_SFU_COMBINE || has(LEVEE_SFU_SCATTER) ||
                               has(LEVEE_SFU_TAP_LISTED);
    need_field(!needs_indices || indices != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, indices));
    need_field(vectors() <= most_vectors, LEVEE_ERROR_FIELD, offsetof(Op, outer));
}

/// Checks the combination of flags, taps and ports.
void VectorOperation::check_flags() const
{
    need_field(!has(LEVEE_SFU_SCATTER) ||
                   (opcode != LEVEE_SFU_EMBED && opcode != LEVEE_SFU_LOG_PROB),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has(LEVEE_SFU_CAUSAL) || is_softmax(), LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has(LEVEE_SFU_SIGMOID) || opcode == LEVEE_SFU_ROUTE, LEVEE_ERROR_FIELD,
               offsetof(Op, flags));
    need_field(tap == 0 || (is_softmax() && !streams_out()), LEVEE_ERROR_FIELD, offsetof(Op, tap));
    need_field(!has(LEVEE_SFU_TAP_LISTED) || (tap != 0 && !has(LEVEE_SFU_SCATTER)),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has(LEVEE_SFU_TAP_LISTED) || (seed >= n && vectors() * seed <= most_tapped),
               LEVEE_ERROR_FIELD, offsetof(Op, seed));
    need_field(!streams_out() || !is_pick(), LEVEE_ERROR_STREAM, offsetof(Op, out));
    need_field(!streams_out() || !has(LEVEE_SFU_SCATTER), LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has(LEVEE_SFU_ROW_WORDS) || opcode == LEVEE_SFU_ROPE || has(LEVEE_SFU_SCATTER),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
    need_field(!has(LEVEE_SFU_SCATTER_SCALE) ||
                   (has(LEVEE_SFU_SCATTER) && !is_pick() && is_quantised()),
               LEVEE_ERROR_FIELD, offsetof(Op, flags));
}

void VectorOperation::check_alignment() const
{
    constexpr std::int32_t none[] = {0};
    constexpr unsigned word = LEVEE_TYPE_FP32;
    if (!streams_in())
        need_aligned(x, x_stride, x_type, offsetof(Op, x), offsetof(Op, x_stride));
    need_aligned(y, y_stride, y_element(), offsetof(Op, y), offsetof(Op, y_stride));
    if (!streams_out())
        need_aligned(out, out_stride, is_pick() ? word : out_type, offsetof(Op, out),
                     offsetof(Op, out_stride));
    need_aligned(out_scale, out_scale_stride, word, offsetof(Op, out_scale),
                 offsetof(Op, out_scale_stride));
    if (has_running()) {
        need_aligned(gain, out_scale_stride, word, offsetof(Op, gain),
                     offsetof(Op, out_scale_stride));
        for (std::size_t i = 0; i < std::size(out_scale_stride); ++i)
            need_field(std::abs(std::int64_t{out_scale_stride[i]}) <=
                           std::numeric_limits<std::int32_t>::max() / running_words,
                       LEVEE_ERROR_ADDRESS,
                       offsetof(Op, out_scale_stride) + i * sizeof out_scale_stride[i]);
    }
    need_aligned(gain, none, word, offsetof(Op, gain), 0);
    need_aligned(bias, none, word, offsetof(Op, bias), 0);
    need_aligned(lengths, lengths_stride, word, offsetof(Op, lengths),
                 offsetof(Op, lengths_stride));
    need_aligned(indices, indices_stride, word, offsetof(Op, indices),
                 offsetof(Op, indices_stride));
    need_aligned(positions, positions_stride, word, offsetof(Op, positions),
                 offsetof(Op, positions_stride));
}

void VectorOperation::check_types() const
{
    if (opcode == LEVEE_SFU_EMBED) {
        const bool scaled = is_weight_code(x_type);
        need_field(scaled || x_type == LEVEE_TYPE_FP32 || x_type == LEVEE_TYPE_FP16,
                   LEVEE_ERROR_TYPE, offsetof(Op, x_type));
        need_field(!scaled || gain != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, gain));
    } else {
        need_field(x_type == LEVEE_TYPE_FP32 || (x_type == LEVEE_TYPE_FP16 && !streams_in()),
                   LEVEE_ERROR_TYPE, offsetof(Op, x_type));
    }
    need_field(y_type == LEVEE_TYPE_NONE || y_type == LEVEE_TYPE_FP32 ||
                   (y_type == LEVEE_TYPE_FP16 && has_rows_y()),
               LEVEE_ERROR_TYPE, offsetof(Op, y_type));
    const bool grouped = opcode == LEVEE_SFU_EMBED && is_weight_code(x_type) &&
                         block_log2 >= LEVEE_SFU_MIN_GROUP_LOG2 &&
                         block_log2 <= LEVEE_SFU_MAX_GROUP_LOG2;
    const bool mixed = hadamard_log2() != 0 && hadamard_log2() <= LEVEE_SFU_MAX_HADAMARD_LOG2 &&
                       n % (1U << hadamard_log2()) == 0;
    need_field(block_log2 == 0 || grouped || mixed, LEVEE_ERROR_FIELD, offsetof(Op, block_log2));
    if (is_pick())
        return;
    need_field(out_type == LEVEE_TYPE_FP32 ||
                   (!streams_out() && (out_type == LEVEE_TYPE_FP16 || is_quantised())),
               LEVEE_ERROR_TYPE, offsetof(Op, out_type));
    need_field(!is_quantised() || out_scale != 0, LEVEE_ERROR_ADDRESS, offsetof(Op, out_scale));
}

} // namespace levee::sfu
