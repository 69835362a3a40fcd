// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/vector_run.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/sfu/model.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace levee::sfu {

void VectorRun::prepare(const VectorOperation& operation, Operation& filled)
{
    op_ = operation;
    op_.check();
    tables_.read();
    inputs_.open(filled);
    if (op_.opcode == LEVEE_SFU_COMBINE)
        combined_.open(op_, filled);
    results_.open(filled);
    if (inputs_.need_loading())
        run_groups();
    results_.finish(filled);
}

void VectorRun::run_groups()
{
    const bool timing_only = queue_.timing_only();
    if (!timing_only) {
        results_.make_room();
        result_.resize(op_.n);
    }
    for (std::size_t i = 0; i < op_.groups(); ++i) {
        const Group group = tables_.group(i);
        const std::size_t first = i * op_.rows;
        inputs_.load(group, i, results_.running(first));
        for (std::uint32_t row = 0; row < op_.rows && !timing_only; ++row)
            compute(group, row, first + row);
    }
}

void VectorRun::compute(const Group& group, std::uint32_t row, std::size_t vector)
{
    if (op_.opcode == LEVEE_SFU_EMBED) {
        embed(inputs_.table_row(row), static_cast<levee_type>(op_.x_type), inputs_.scales(row),
              op_.scaled_elements(), inputs_.y(row), result_);
    } else if (op_.opcode == LEVEE_SFU_COMBINE) {
        combined_.sum(row, inputs_.y(row), result_);
    } else {
        const std::span<const float> x = inputs_.x(row, vector);
        if (op_.is_pick()) {
            const std::span<const float> logits = capped(x);
            if (on_logits)
                on_logits(logits);
            results_.store(vector, pick(logits, group, vector));
            return;
        }
        compute_function(group, row, vector, x);
        if (op_.hadamard_log2() != 0)
            hadamard(result_, std::size_t{1} << op_.hadamard_log2());
    }
    results_.store(vector, result_);
}

void VectorRun::compute_function(const Group& group, std::uint32_t row, std::size_t vector,
                                 std::span<const float> x)
{
    const std::span<float> out(result_);
    if (op_.is_normalised()) {
        results_.overflows().count_norm(x);
        rms_norm(x, inputs_.gain(), op_.param, out);
        x = out;
    }
    switch (op_.opcode) {
    case LEVEE_SFU_RMS_NORM:
        results_.overflows().count_norm(x);
        return rms_norm(x, inputs_.gain(), op_.param, out);
    case LEVEE_SFU_LAYER_NORM:
        results_.overflows().count_norm(x);
        return layer_norm(x, inputs_.gain(), inputs_.bias(), op_.param, out);
    case LEVEE_SFU_ROPE:
        return rope(x, inputs_.phase(), tables_.position(group, row, vector),
                    op_.has(LEVEE_SFU_ROPE_HALVES), out);
    case LEVEE_SFU_SOFTMAX:
    case LEVEE_SFU_SOFTMAX_PART:
    case LEVEE_SFU_SOFTMAX_KNOWN:
        return compute_softmax(x, tables_.seen(group, row), group, vector);
    case LEVEE_SFU_CLAMPED_MUL:
        return clamped_mul(x, inputs_.y(row), {op_.cap, op_.param}, out);
    case LEVEE_SFU_SILU_MUL:
        return silu_mul(x, inputs_.y(row), out);
    case LEVEE_SFU_GELU:
        return gelu(x, out);
    case LEVEE_SFU_GELU_MUL:
        return gelu_mul(x, inputs_.y(row), out);
    case LEVEE_SFU_GELU_TANH:
        return gelu_tanh(x, out);
    case LEVEE_SFU_GELU_TANH_MUL:
        return gelu_tanh_mul(x, inputs_.y(row), out);
    case LEVEE_SFU_RELU:
        return relu(x, out);
    case LEVEE_SFU_RELU_MUL:
        return relu_mul(x, inputs_.y(row), out);
    case LEVEE_SFU_RELU_SQUARED:
        return relu_squared(x, out);
    case LEVEE_SFU_ADD:
        return add(x, inputs_.y(row), out);
    default: // LEVEE_SFU_QUANTISE: only the format changes.
        std::copy(x.begin(), x.end(), out.begin());
    }
}

/// Computes a softmax. The last step for each element is the multiplication by y. With a tap, this
/// is a separate step, because the tap gets the values before the multiplication.
void VectorRun::compute_softmax(std::span<const float> x, Seen seen, const Group& group,
                                std::size_t vector)
{
    if (op_.param != 0.0f) {
        std::transform(x.begin(), x.end(), result_.begin(),
                       [this](float element) { return canonical(element * op_.param); });
        x = result_;
    }
    if (op_.cap != 0.0f) {
        soft_cap(x, op_.cap, result_);
        x = result_;
    }
    const std::span<const float> y = inputs_.factors();
    const std::span<float> tap = results_.tap(vector);
    if (tap.empty()) {
        normalise(x, seen, vector, y);
        return;
    }
    normalise(x, seen, vector, {});
    if (op_.has(LEVEE_SFU_TAP_LISTED)) {
        const std::span<const std::uint32_t> places = tables_.tap_places(group);
        for (std::size_t i = 0; i < seen.count; ++i)
            tap[places[i]] = result_[i];
    } else {
        std::ranges::copy(result_, tap.begin());
    }
    for (std::size_t i = seen.first; i < seen.first + seen.count && !y.empty(); ++i)
        result_[i] = canonical(result_[i] * y[i]);
}

/// Computes the operation's kind of softmax.
void VectorRun::normalise(std::span<const float> x, Seen seen, std::size_t vector,
                          std::span<const float> factors)
{
    const std::size_t length = seen.count;
    const std::span<float> out = std::span(result_).subspan(seen.first);
    std::fill_n(result_.begin(), seen.first, 0.0F);
    x = x.subspan(seen.first);
    if (!factors.empty())
        factors = factors.subspan(seen.first);
    const std::optional<float> sink = inputs_.sink(vector / op_.rows);
    const Running before = sink ? running_of_sink(*sink) : Running{};
    if (op_.opcode == LEVEE_SFU_SOFTMAX)
        return softmax(x, length, {factors, 1}, out, before);
    levee_sfu_running& stored = *results_.running(vector);
    Running running{stored.maximum, stored.sum};
    if (op_.opcode == LEVEE_SFU_SOFTMAX_KNOWN)
        return softmax_known(x, length, running, {factors, 1}, out);
    if (sink)
        running = before;
    const float keep = softmax_part(x, length, running, {factors, 1}, out);
    results_.keep(vector) = op_.has(LEVEE_SFU_FIRST) ? 0.0f : keep;
    stored = {running.maximum, running.sum};
}

/// Returns the logits with the cap applied, which precedes comparisons.
std::span<const float> VectorRun::capped(std::span<const float> x)
{
    if (op_.cap == 0.0f)
        return x;
    soft_cap(x, op_.cap, result_);
    return result_;
}

levee_sfu_pick VectorRun::pick(std::span<const float> x, const Group& group,
                               std::size_t vector) const
{
    const float temperature =
        op_.has_temperatures() ? std::bit_cast<float>(group.position) : op_.param;
    if (op_.has_seeds())
        return sample(x, temperature, tables_.indices()[vector], 0);
    if (op_.opcode == LEVEE_SFU_SAMPLE)
        return sample(x, temperature, op_.seed, vector);
    if (op_.opcode == LEVEE_SFU_LOG_PROB)
        return log_prob(x, tables_.indices()[vector]);
    return argmax(x);
}

} // namespace levee::sfu
