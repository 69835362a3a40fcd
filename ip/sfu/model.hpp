// SPDX-License-Identifier: Apache-2.0
// The references of the SFU's operations (ip/sfu/regs.h), each on one vector: pure,
// allocation-free, no time. Definitions, summation order and behaviour on NaN and infinities are in
// docs/numerics.md. Element-wise functions, the norms, rope and softmax may work in place
// (out.data() == x.data()). All throw std::invalid_argument, naming the argument, where a span is
// shorter than x needs; a NaN in a result is canonical.
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/sfu/regs.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace levee::sfu {

// gain and bias: as many as x, or empty (left out).
void rms_norm(std::span<const float> x, std::span<const float> gain, float epsilon,
              std::span<float> out);
void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> out);

// Rotates pairs (2i, 2i + 1), or (i, i + n/2) with `halves`, by position * phase[i] turns of 2^-32.
// phase: half as many as the elements that are rotated, the first of x; the others are copied.
void rope(std::span<const float> x, std::span<const std::uint32_t> phase, std::uint32_t position,
          bool halves, std::span<float> out);

// FP32 factors `stride` elements apart; no data: all 1.
struct Factors {
    std::span<const float> data;
    std::size_t stride = 1;
};
// Maximum and sum of exp(x - maximum) of the parts of a vector so far; none yet.
struct Running {
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0.0f;
};
// The beginning of a vector with a sink: an element that is counted and not written.
constexpr Running running_of_sink(float sink)
{
    return {sink, 1.0f};
}
// Softmax of the first `length` elements (at most x.size()), each times its factor; the rest are 0.
// `before`: of a sink.
void softmax(std::span<const float> x, std::size_t length, Factors factors, std::span<float> out,
             Running before = {});

// Softmax in parts: extends `running` by the vector's next part x and writes x's probabilities.
// Returns the factor for sums over earlier parts (0 for the first part). A single part gives the
// bits of softmax().
float softmax_part(std::span<const float> x, std::size_t length, Running& running, Factors factors,
                   std::span<float> out);
// exp(x - maximum) / sum of a part of a vector whose maximum and sum are known, each times its
// factor.
void softmax_known(std::span<const float> x, std::size_t length, const Running& known,
                   Factors factors, std::span<float> out);

void silu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void gelu(std::span<const float> x, std::span<float> out);
void gelu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
// GELU by its tanh approximation.
void gelu_tanh(std::span<const float> x, std::span<float> out);
void gelu_tanh_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void relu(std::span<const float> x, std::span<float> out);
void relu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void relu_squared(std::span<const float> x, std::span<float> out);
// g = min(x, limit), u = y within -limit to limit: (u + 1) * (g * sigmoid(alpha * g)).
struct Clamp {
    float limit, alpha;
};
void clamped_mul(std::span<const float> x, std::span<const float> y, Clamp clamp,
                 std::span<float> out);
// cap * tanh(x / cap); cap is above 0.
void soft_cap(std::span<const float> x, float cap, std::span<float> out);
void add(std::span<const float> x, std::span<const float> y, std::span<float> out);

// The largest elements of x, as many as `choices` (at most x.size()), the largest first, ties to
// the lowest index; NaN after all others. Their weights are their softmax over all of x, or over
// those chosen (`among_chosen`).
struct Choice {
    std::uint32_t index;
    float weight;
};
struct Routing {
    bool among_chosen = false;
    bool sigmoid = false; // elements are compared, and weigh, as their sigmoids
    // Bias with as many elements as x, or empty. Choices are made by softmax (or sigmoid) + bias.
    // Weights exclude the bias, and those of the chosen are divided by their sum.
    std::span<const float> bias{};
};
void choose(std::span<const float> x, const Routing& routing, std::span<Choice> choices);
// out += weight * x, or for the first of a sum out = weight * x.
void accumulate(std::span<const float> x, float weight, bool first, std::span<float> out);

// Quantises x to INT16 codes and returns their scale: levee::quantise_int16, checked.
float quantise(std::span<const float> x, std::span<std::int16_t> codes);
// Quantises to INT8 codes: levee::quantise_int8 with checks.
float quantise8(std::span<const float> x, std::span<std::int8_t> codes);
// Quantises to INT4 codes, one per byte: levee::quantise_int4 with checks.
float quantise4(std::span<const float> x, std::span<std::int8_t> codes);

// One row of an embedding table of `type` INT3, INT4, INT8 (times its scale: element i has scales[i
// / group], or with group 0 the only one), FP16 or FP32 (no scales), out.size() elements, plus the
// row of positions if given.
void embed(std::span<const std::byte> row, levee_type type, std::span<const float> scales,
           std::uint32_t group, std::span<const float> position_row, std::span<float> out);

// Result of one online pass over x: its maximum (lowest index on ties) and the sum of exp(x - max).
struct Maximum {
    std::uint32_t index = 0;
    float value = 0.0f;
    float sum_exp = 0.0f;
};
Maximum maximum(std::span<const float> x);

// x is not empty. NaN elements are never picked (all NaN: index 0).
levee_sfu_pick argmax(std::span<const float> x);
// Draws from softmax(x / temperature) by inverse CDF in index order, with the random word
// (seed, stream 0, vector). A temperature that is not above 0 gives argmax.
levee_sfu_pick sample(std::span<const float> x, float temperature, std::uint32_t seed,
                      std::uint64_t vector);
// target < x.size().
levee_sfu_pick log_prob(std::span<const float> x, std::uint32_t target);

} // namespace levee::sfu
