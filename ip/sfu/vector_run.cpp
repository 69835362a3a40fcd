// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_run.hpp"

#include "core/memory/loop_nest.hpp"
#include "core/numerics/elements.hpp"
#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <cstring>

namespace levee::sfu {

namespace {

using Op = levee_sfu_operation;

} // namespace

bool VectorRun::is_quantised(const levee_descriptor& descriptor)
{
    Op op;
    std::memcpy(&op, descriptor.operation, sizeof op);
    return is_integer(op.out_type);
}

bool VectorRun::is_integer(std::uint8_t type)
{
    return type == LEVEE_TYPE_INT16 || type == LEVEE_TYPE_INT8 || type == LEVEE_TYPE_INT4;
}

VectorRun::Size VectorRun::prepare(const levee_descriptor& descriptor, Operation& operation)
{
    opcode_ = descriptor.opcode;
    std::memcpy(&op_, descriptor.operation, sizeof op_);
    check();
    check_flags();
    check_types();
    check_alignment();
    read_tables();
    open_inputs(operation);
    open_outputs(operation);
    run_groups();

    operation.iterations = static_cast<std::uint32_t>(group_count());
    operation.commit = [this](std::uint32_t first, std::uint32_t last) {
        write_groups(first, last);
    };
    if (op_.tap != 0 || streams_out())
        operation.stream_elements = vector_count() * op_.n;
    if (streams_out())
        fill_stream(operation);
    else
        operation.stream.swap(tap_);
    return {vector_count(), op_.n};
}

std::size_t VectorRun::group_count() const
{
    return std::size_t{op_.outer[0]} * op_.outer[1];
}

bool VectorRun::is_statistical() const
{
    return queue_.timing_only() && queue_.decisions().statistics != nullptr;
}

VectorRun::Group VectorRun::group(std::size_t index) const
{
    // A division of half the width takes a fraction of the host's time.
    const bool is_short = index <= UINT32_MAX;
    const auto number = static_cast<std::uint32_t>(index);
    const auto o0 =
        is_short ? number / op_.outer[1] : static_cast<std::uint32_t>(index / op_.outer[1]);
    const auto o1 =
        is_short ? number % op_.outer[1] : static_cast<std::uint32_t>(index % op_.outer[1]);
    Group group{o0, o1, op_.n, 0, 0};
    if (!lengths_.empty())
        group.length =
            lengths_[std::size_t{o0} * length_words_ + (length_words_ > 1 ? shared_head(o1) : 0)] +
            op_.length_add;
    if (!positions_.empty())
        group.position = positions_[index];
    if (!scatters_.empty())
        group.scatter = scatters_[index];
    return group;
}

/// Timing-only runs: only if a memory tracks accesses to a group's operands, or their place depends
/// on a word.
void VectorRun::run_groups()
{
    const bool timing_only = queue_.timing_only();
    const std::size_t vectors = vector_count();
    if (timing_only && opcode_ != LEVEE_SFU_EMBED &&
        (streamed_ || !queue_.tracks(Direction::Read, op_.x)) &&
        (op_.y == 0 || !queue_.tracks(Direction::Read, op_.y)) &&
        !(reads_running() && queue_.tracks(Direction::Read, op_.gain)))
        return;
    if (!timing_only) {
        out_.resize(vectors * out_bytes());
        out_scales_.resize(vectors);
        tap_.resize(op_.tap != 0 ? vectors * op_.n : 0);
        result_.resize(op_.n);
        running_.assign(vectors, {-kInfinity, 0.0f});
        keep_.resize(vectors);
    }
    for (std::size_t i = 0; i < group_count(); ++i) {
        const Group group = this->group(i);
        if (opcode_ == LEVEE_SFU_EMBED)
            load_table_rows(i);
        else
            load_vectors(group);
        load_second(group);
        load_running(group, i);
        if (!timing_only)
            compute(group, i);
    }
}

void VectorRun::compute(const Group& group, std::size_t index)
{
    for (std::uint32_t row = 0; row < op_.rows; ++row)
        compute_vector(group, row, index * op_.rows + row);
}

void VectorRun::compute_vector(const Group& group, std::uint32_t row, std::size_t vector)
{
    if (opcode_ == LEVEE_SFU_EMBED) {
        embed_vector(row, result_);
    } else {
        const std::span<const float> all =
            !streamed_ ? std::span<const float>(x_)
                       : stream_.subspan((vector - row) * op_.n, std::size_t{op_.rows} * op_.n);
        const auto x = all.subspan(std::size_t{row} * op_.n, op_.n);
        if (is_pick()) {
            pick(x, vector);
            return;
        }
        if (opcode_ == LEVEE_SFU_RMS_NORM || opcode_ == LEVEE_SFU_LAYER_NORM)
            overflows_.count_norm(x);
        compute_function(group, row, vector, x);
    }
    overflows_.count(result_);
    if (op_.out != 0)
        write_codes(vector);
}

/// A vector's result in the format of `out`.
void VectorRun::write_codes(std::size_t vector)
{
    std::uint8_t* const packed = out_.data() + vector * out_bytes();
    if (op_.out_type == LEVEE_TYPE_FP16)
        write_halves({reinterpret_cast<std::uint16_t*>(packed), op_.n});
    else if (op_.out_type == LEVEE_TYPE_INT16)
        out_scales_[vector] = quantise(result_, {reinterpret_cast<std::int16_t*>(packed), op_.n});
    else if (op_.out_type == LEVEE_TYPE_INT8)
        out_scales_[vector] = quantise8(result_, {reinterpret_cast<std::int8_t*>(packed), op_.n});
    else if (op_.out_type == LEVEE_TYPE_INT4)
        write_int4(vector, packed);
    else
        std::memcpy(packed, result_.data(), out_bytes());
}

/// An FP32 result may be beyond FP16.
void VectorRun::write_halves(std::span<std::uint16_t> halves)
{
    std::transform(result_.begin(), result_.end(), halves.begin(), fp32_to_fp16);
    overflows_.count(halves);
}

void VectorRun::write_int4(std::size_t vector, std::uint8_t* packed)
{
    codes_.resize(op_.n);
    out_scales_[vector] = quantise4(result_, codes_);
    pack_int4(codes_, packed);
}

/// Results of all vectors, FP32, to the port that `out` names.
void VectorRun::fill_stream(Operation& operation) const
{
    if (queue_.timing_only())
        return;
    operation.stream.resize(vector_count() * op_.n);
    std::memcpy(operation.stream.data(), out_.data(), out_.size());
}

/// The result of one vector `x`.
void VectorRun::compute_function(const Group& group, std::uint32_t row, std::size_t vector,
                                 std::span<const float> x)
{
    const std::span<float> out(result_);
    const auto y = has_rows_y()
                       ? std::span<const float>(y_).subspan(std::size_t{row} * op_.n, op_.n)
                       : std::span<const float>(y_);
    const std::size_t length =
        has_flag(LEVEE_SFU_CAUSAL) ? group.length - op_.rows + 1 + row : group.length;
    switch (opcode_) {
    case LEVEE_SFU_RMS_NORM:
        return rms_norm(x, gain_, op_.param, out);
    case LEVEE_SFU_LAYER_NORM:
        return layer_norm(x, gain_, bias_, op_.param, out);
    case LEVEE_SFU_ROPE:
        return rope(x, phase_,
                    row_positions_.empty() ? group.position + row : row_positions_[vector],
                    has_flag(LEVEE_SFU_ROPE_HALVES), out);
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_PART:
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return compute_softmax(x, length, vector);
    case LEVEE_SFU_SILU_MUL:
        return silu_mul(x, y, out);
    case LEVEE_SFU_GELU:
        return gelu(x, out);
    case LEVEE_SFU_RELU:
        return relu(x, out);
    case LEVEE_SFU_ADD:
        return add(x, y, out);
    default: // LEVEE_SFU_QUANTISE: only the format changes
        std::copy(x.begin(), x.end(), out.begin());
    }
}

/// Multiplies by y, the last step for an element; with a tap, a separate step.
void VectorRun::compute_softmax(std::span<const float> x, std::size_t length, std::size_t vector)
{
    if (op_.param != 0.0f) {
        std::transform(x.begin(), x.end(), result_.begin(),
                       [this](float element) { return canonical(element * op_.param); });
        x = result_;
    }
    if (tap_.empty()) {
        normalise(x, length, vector, y_, result_);
        return;
    }
    const auto tap = std::span<float>(tap_).subspan(vector * op_.n, op_.n);
    normalise(x, length, vector, {}, tap);
    for (std::size_t i = 0; i < op_.n; ++i)
        result_[i] = y_.empty() || i >= length ? tap[i] : canonical(tap[i] * y_[i]);
}

/// The operation's kind of softmax.
void VectorRun::normalise(std::span<const float> x, std::size_t length, std::size_t vector,
                          std::span<const float> factors, std::span<float> out)
{
    if (opcode_ == LEVEE_SFU_SOFTMAX)
        return softmax(x, length, {factors, 1}, out);
    levee_sfu_running& stored = running_[vector];
    Running running{stored.maximum, stored.sum};
    if (opcode_ == LEVEE_SFU_SOFTMAX_KNOWN)
        return softmax_known(x, length, running, {factors, 1}, out);
    keep_[vector] = softmax_part(x, length, running, {factors, 1}, out);
    stored = {running.maximum, running.sum};
}

void VectorRun::embed_vector(std::uint32_t row, std::span<float> out)
{
    const std::size_t row_bytes = bytes_of(op_.n, op_.x_type);
    const auto position = op_.y == 0
                              ? std::span<const float>()
                              : std::span<const float>(y_).subspan(std::size_t{row} * op_.n, op_.n);
    embed(std::as_bytes(std::span(table_)).subspan(row * row_bytes, row_bytes),
          static_cast<levee_type>(op_.x_type),
          std::span(row_scales_).subspan(row * scales_of_row(), scales_of_row()), scale_group(),
          position, out);
}

void VectorRun::pick(std::span<const float> x, std::size_t vector)
{
    if (on_logits)
        on_logits(x);
    levee_sfu_pick result{};
    if (opcode_ == LEVEE_SFU_SAMPLE)
        result = sample(x, op_.param, op_.seed, vector);
    else if (opcode_ == LEVEE_SFU_LOG_PROB)
        result = log_prob(x, indices_[vector]);
    else
        result = argmax(x);
    std::memcpy(out_.data() + vector * out_bytes(), &result, sizeof result);
}

bool VectorRun::is_pick() const
{
    return opcode_ == LEVEE_SFU_ARGMAX || opcode_ == LEVEE_SFU_SAMPLE ||
           opcode_ == LEVEE_SFU_LOG_PROB;
}

bool VectorRun::is_softmax() const
{
    return opcode_ == LEVEE_SFU_SOFTMAX || opcode_ == LEVEE_SFU_SOFTMAX_PART ||
           opcode_ == LEVEE_SFU_SOFTMAX_KNOWN;
}

bool VectorRun::reads_running() const
{
    return opcode_ == LEVEE_SFU_SOFTMAX_KNOWN ||
           (opcode_ == LEVEE_SFU_SOFTMAX_PART && !has_flag(LEVEE_SFU_FIRST));
}

bool VectorRun::scatters_out() const
{
    return has_flag(LEVEE_SFU_SCATTER) && !has_flag(LEVEE_SFU_SCATTER_SCALE);
}

/// y has a row for every row of x (or of positions).
bool VectorRun::has_rows_y() const
{
    return opcode_ == LEVEE_SFU_SILU_MUL || opcode_ == LEVEE_SFU_ADD;
}

std::uint64_t VectorRun::out_bytes() const
{
    return is_pick() ? sizeof(levee_sfu_pick) : bytes_of(op_.n, op_.out_type);
}

std::uint32_t VectorRun::shared_head(std::uint32_t o1) const
{
    return op_.group > 1 ? o1 / op_.group : o1;
}

AccessPattern VectorRun::rows_at(std::uint64_t address, const std::int32_t* stride,
                                 const Group& group, std::uint64_t run_bytes) const
{
    AccessPattern pattern = contiguous(
        offset_by(offset_by(address, stride[0], group.o0), stride[1], group.o1), run_bytes);
    pattern.count[2] = op_.rows;
    pattern.stride[2] = stride[2];
    return pattern;
}

} // namespace levee::sfu
