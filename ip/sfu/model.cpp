// SPDX-License-Identifier: Apache-2.0
#include "ip/sfu/model.hpp"

#include "core/numerics/elements.hpp"
#include "ip/sfu/checks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace levee::sfu {
namespace {

constexpr std::size_t kPartials = 8;

// Returns the sum of term(x[i]), in the order that docs/numerics.md defines. Partial sum j adds
// elements j, j + 8, ... A tree then adds pairs of partial sums that are 4, 2 and 1 apart.
template <typename Term> float ordered_sum(std::span<const float> x, Term term)
{
    std::array<float, kPartials> partial{};
    const std::size_t whole = x.size() / kPartials * kPartials;
    for (std::size_t i = 0; i < whole; i += kPartials)
        for (std::size_t j = 0; j < kPartials; ++j)
            partial[j] += term(x[i + j]);
    for (std::size_t i = whole; i < x.size(); ++i)
        partial[i - whole] += term(x[i]);
    for (std::size_t apart = kPartials / 2; apart > 0; apart /= 2)
        for (std::size_t j = 0; j < apart; ++j)
            partial[j] += partial[j + apart];
    return partial[0];
}

template <typename Function>
void apply(const char* name, std::span<const float> x, std::span<float> out, Function function)
{
    require_size(name, "out", out.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = canonical(function(x[i]));
}

template <typename Function>
void apply_times(const char* name, std::span<const float> x, std::span<const float> y,
                 std::span<float> out, Function function)
{
    require_size(name, "y", y.size(), x.size());
    require_size(name, "out", out.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = canonical(function(x[i]) * y[i]);
}

// max(x, 0); NaN stays NaN.
float positive(float x)
{
    return x <= 0.0f ? 0.0f : x;
}

// Converts a sum of exp(x - maximum) to the sum of exp(x - largest).
float rescaled(float sum, float maximum, float largest)
{
    return maximum == largest ? sum : sum * exp_fp32(maximum - largest);
}

} // namespace

void rms_norm(std::span<const float> x, std::span<const float> gain, float epsilon,
              std::span<float> out)
{
    require_size("rms_norm", "x", x.size(), 1);
    require_size("rms_norm", "out", out.size(), x.size());
    require_size_if_given("rms_norm", "gain", gain.size(), x.size());
    const float squares = ordered_sum(x, [](float value) { return value * value; });
    const float root = std::sqrt(squares / static_cast<float>(x.size()) + epsilon);
    if (gain.empty()) {
        for (std::size_t i = 0; i < x.size(); ++i)
            out[i] = canonical(x[i] / root);
        return;
    }
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = canonical(x[i] / root * gain[i]);
}

void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> out)
{
    require_size("layer_norm", "x", x.size(), 1);
    require_size("layer_norm", "out", out.size(), x.size());
    require_size_if_given("layer_norm", "gain", gain.size(), x.size());
    require_size_if_given("layer_norm", "bias", bias.size(), x.size());
    const auto count = static_cast<float>(x.size());
    const float mean = ordered_sum(x, [](float value) { return value; }) / count;
    const float squares =
        ordered_sum(x, [mean](float value) { return (value - mean) * (value - mean); });
    const float root = std::sqrt(squares / count + epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
        float value = (x[i] - mean) / root;
        if (!gain.empty())
            value *= gain[i];
        if (!bias.empty())
            value += bias[i];
        out[i] = canonical(value);
    }
}

void rope(std::span<const float> x, std::span<const std::uint32_t> phase, std::uint32_t position,
          bool halves, std::span<float> out)
{
    const std::size_t pairs = phase.size();
    require_size("rope", "x", x.size(), 2 * pairs);
    require_size("rope", "out", out.size(), x.size());
    std::copy(x.begin() + static_cast<std::ptrdiff_t>(2 * pairs), x.end(),
              out.begin() + static_cast<std::ptrdiff_t>(2 * pairs));
    const std::size_t step = halves ? 1 : 2;
    const std::size_t apart = halves ? pairs : 1;
    for (std::size_t i = 0; i < pairs; ++i) {
        const auto [sine, cosine] = sine_cosine(position * phase[i]);
        const float first = x[i * step];
        const float second = x[i * step + apart];
        out[i * step] = canonical(first * cosine - second * sine);
        out[i * step + apart] = canonical(first * sine + second * cosine);
    }
}

void hadamard(std::span<float> x, std::size_t block)
{
    if (!std::has_single_bit(block) || x.size() % block != 0)
        refuse("hadamard", "a block of " + std::to_string(block) + " does not divide a vector of " +
                               std::to_string(x.size()) + " elements, or is not a power of two");
    for (std::size_t apart = 1; apart < block; apart *= 2)
        for (std::size_t first = 0; first < x.size(); first += 2 * apart)
            for (std::size_t i = first; i < first + apart; ++i) {
                const float sum = x[i] + x[i + apart];
                x[i + apart] = x[i] - x[i + apart];
                x[i] = sum;
            }
    const float scale = 1.0F / std::sqrt(static_cast<float>(block));
    for (float& element : x)
        element = canonical(element * scale);
}

void softmax(std::span<const float> x, std::size_t length, Factors factors, std::span<float> out,
             Running before)
{
    softmax_part(x, length, before, factors, out);
}

float softmax_part(std::span<const float> x, std::size_t length, Running& running, Factors factors,
                   std::span<float> out)
{
    require_size("softmax", "x", x.size(), length);
    const Maximum part = maximum(x.first(length));
    const float largest = part.value > running.maximum ? part.value : running.maximum;
    const float before = rescaled(running.sum, running.maximum, largest);
    const float sum = canonical(before + rescaled(part.sum_exp, part.value, largest));
    const bool is_first = running.sum == 0.0f;
    running = {largest, sum};
    softmax_known(x, length, running, factors, out);
    return is_first ? 0.0f : canonical(before / sum);
}

void softmax_known(std::span<const float> x, std::size_t length, const Running& known,
                   Factors factors, std::span<float> out)
{
    require_size("softmax", "out", out.size(), x.size());
    require_size("softmax", "x", x.size(), length);
    if (length > 0)
        require_size_if_given("softmax", "factors", factors.data.size(),
                              (length - 1) * factors.stride + 1);
    const float reciprocal = 1.0f / known.sum;
    for (std::size_t i = 0; i < length; ++i) {
        float value = exp_fp32(x[i] - known.maximum) * reciprocal;
        if (!factors.data.empty())
            value *= factors.data[i * factors.stride];
        out[i] = canonical(value);
    }
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(length),
              out.begin() + static_cast<std::ptrdiff_t>(x.size()), 0.0f);
}

void silu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out)
{
    apply_times("silu_mul", x, y, out, [](float value) { return value * sigmoid_fp32(value); });
}

void gelu(std::span<const float> x, std::span<float> out)
{
    apply("gelu", x, out, gelu_fp32);
}

void gelu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out)
{
    apply_times("gelu_mul", x, y, out, gelu_fp32);
}

void gelu_tanh(std::span<const float> x, std::span<float> out)
{
    apply("gelu_tanh", x, out, gelu_tanh_fp32);
}

void gelu_tanh_mul(std::span<const float> x, std::span<const float> y, std::span<float> out)
{
    apply_times("gelu_tanh_mul", x, y, out, gelu_tanh_fp32);
}

void relu(std::span<const float> x, std::span<float> out)
{
    apply("relu", x, out, positive);
}

void relu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out)
{
    apply_times("relu_mul", x, y, out, positive);
}

void relu_squared(std::span<const float> x, std::span<float> out)
{
    apply("relu_squared", x, out, [](float value) { return positive(value) * positive(value); });
}

void clamped_mul(std::span<const float> x, std::span<const float> y, Clamp clamp,
                 std::span<float> out)
{
    const auto [limit, alpha] = clamp;
    if (!(limit > 0.0f))
        refuse("clamped_mul", "limit is " + std::to_string(limit) + ", expected more than 0");
    require_size("clamped_mul", "y", y.size(), x.size());
    require_size("clamped_mul", "out", out.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) { // With these comparisons, NaN stays NaN.
        const float gate = x[i] > limit ? limit : x[i];
        const float up = y[i] > limit ? limit : y[i] < -limit ? -limit : y[i];
        out[i] = canonical((up + 1.0f) * (gate * sigmoid_fp32(alpha * gate)));
    }
}

void accumulate(std::span<const float> x, float weight, bool first, std::span<float> out)
{
    require_size("accumulate", "out", out.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = canonical(first ? weight * x[i] : out[i] + weight * x[i]);
}

void soft_cap(std::span<const float> x, float cap, std::span<float> out)
{
    if (!(cap > 0.0f))
        refuse("soft_cap", "cap is " + std::to_string(cap) + ", expected more than 0");
    apply("soft_cap", x, out, [cap](float value) { return cap * tanh_fp32(value / cap); });
}

void add(std::span<const float> x, std::span<const float> y, std::span<float> out)
{
    require_size("add", "y", y.size(), x.size());
    require_size("add", "out", out.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        out[i] = canonical(x[i] + y[i]);
}

float quantise(std::span<const float> x, std::span<std::int16_t> codes)
{
    require_size("quantise", "codes", codes.size(), x.size());
    return quantise_int16(x, codes);
}

float quantise8(std::span<const float> x, std::span<std::int8_t> codes)
{
    require_size("quantise8", "codes", codes.size(), x.size());
    return quantise_int8(x, codes);
}

float quantise4(std::span<const float> x, std::span<std::int8_t> codes)
{
    require_size("quantise4", "codes", codes.size(), x.size());
    return quantise_int4(x, codes);
}

void embed(std::span<const std::byte> row, levee_type type, std::span<const float> scales,
           std::uint32_t group, std::span<const float> position_row, std::span<float> out)
{
    const std::size_t n = out.size();
    if (row.size() < bytes_of(n, type))
        refuse("embed", "row has " + std::to_string(row.size()) + " bytes, needs " +
                            std::to_string(bytes_of(n, type)));
    require_size_if_given("embed", "position_row", position_row.size(), n);
    const bool coded = is_weight_code(type);
    const std::size_t shared = group == 0 ? n : group;
    if (coded)
        require_size("embed", "scales", scales.size(), (n + shared - 1) / shared);
    for (std::size_t i = 0; i < n; ++i) {
        float value = 0.0f;
        if (coded) {
            value = static_cast<float>(integer_element(row.data(), type, i)) * scales[i / shared];
        } else if (type == LEVEE_TYPE_FP16) {
            std::uint16_t bits;
            std::memcpy(&bits, row.data() + 2 * i, sizeof bits);
            value = fp16_to_fp32(bits);
        } else if (type == LEVEE_TYPE_FP32) {
            std::memcpy(&value, row.data() + 4 * i, sizeof value);
        } else {
            refuse("embed", "rows must be INT3, INT4, INT8, FP16 or FP32");
        }
        out[i] = canonical(position_row.empty() ? value : value + position_row[i]);
    }
}

} // namespace levee::sfu
