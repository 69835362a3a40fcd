// SPDX-License-Identifier: Apache-2.0
// References of the SFU's operations (ip/sfu/regs.h), each for one vector. They are pure, allocate
// nothing and do not model time. docs/numerics.md has their definitions, the order of summation,
// and the handling of NaN and infinities. Element-wise functions, the norms, rope and softmax may
// work in place (out.data() == x.data()). All throw std::invalid_argument with the argument's name
// if a span is shorter than x requires. A NaN in a result is canonical.
#pragma once

#include "core/numerics/numerics.hpp"
#include "ip/sfu/regs.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace levee::sfu {

// gain and bias have as many elements as x, or none.
void rms_norm(std::span<const float> x, std::span<const float> gain, float epsilon,
              std::span<float> out);
void layer_norm(std::span<const float> x, std::span<const float> gain, std::span<const float> bias,
                float epsilon, std::span<float> out);

// Rotates pairs (2i, 2i + 1), or (i, i + n/2) with `halves`, by position * phase[i] turns of 2^-32.
// The first 2 * phase.size() elements of x are rotated; the others are copied.
void rope(std::span<const float> x, std::span<const std::uint32_t> phase, std::uint32_t position,
          bool halves, std::span<float> out);

// Multiplies each block of `block` elements of x, in place, by the orthonormal Hadamard matrix of
// that size (Sylvester's order). `block` is a power of two that divides x.size().
void hadamard(std::span<float> x, std::size_t block);

// FP32 factors, `stride` elements apart. Without data, all factors are 1.
struct Factors {
    std::span<const float> data;
    std::size_t stride = 1;
};
// Maximum, and sum of exp(x - maximum), over the parts of a vector so far. The initial values apply
// before the first part.
struct Running {
    float maximum = -std::numeric_limits<float>::infinity();
    float sum = 0.0f;
};
// Returns the initial state for a vector with a sink, which is an element that takes part in the
// softmax but has no result.
constexpr Running running_of_sink(float sink)
{
    return {sink, 1.0f};
}
// Softmax of the first `length` elements (at most x.size()), each multiplied by its factor. The
// other results are 0. `before` is the initial state, for example running_of_sink().
void softmax(std::span<const float> x, std::size_t length, Factors factors, std::span<float> out,
             Running before = {});

// Softmax in parts. Updates `running` with the next part x of the vector, and writes x's
// probabilities. Returns the factor for sums over earlier parts (0 for the first part). With a
// single part, results are bit-identical to softmax().
float softmax_part(std::span<const float> x, std::size_t length, Running& running, Factors factors,
                   std::span<float> out);
// exp(x - maximum) / sum for a part of a vector, each multiplied by its factor. `known` has the
// maximum and the sum of the whole vector.
void softmax_known(std::span<const float> x, std::size_t length, const Running& known,
                   Factors factors, std::span<float> out);

void silu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void gelu(std::span<const float> x, std::span<float> out);
void gelu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
// GELU, approximated with tanh.
void gelu_tanh(std::span<const float> x, std::span<float> out);
void gelu_tanh_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void relu(std::span<const float> x, std::span<float> out);
void relu_mul(std::span<const float> x, std::span<const float> y, std::span<float> out);
void relu_squared(std::span<const float> x, std::span<float> out);
struct Clamp {
    float limit, alpha;
};
// (u + 1) * (g * sigmoid(alpha * g)), with g = min(x, limit) and u = y clamped to [-limit, limit].
void clamped_mul(std::span<const float> x, std::span<const float> y, Clamp clamp,
                 std::span<float> out);
// cap * tanh(x / cap), for cap above 0.
void soft_cap(std::span<const float> x, float cap, std::span<float> out);
void add(std::span<const float> x, std::span<const float> y, std::span<float> out);

struct Choice {
    std::uint32_t index;
    float weight;
};
struct Routing {
    bool among_chosen = false;
    bool sigmoid = false; // Compares the sigmoids of elements and uses them as weights.
    // Bias with as many elements as x, or none. With a bias, the elements with the largest softmax
    // (or sigmoid) + bias are chosen. Weights do not include the bias; with `among_chosen`, they
    // are divided by their sum.
    std::span<const float> bias{};
};
// Chooses the choices.size() largest elements of x (at most x.size()), in descending order. Ties go
// to the lowest index; NaN ranks last. The weights are a softmax over all of x or, with
// `among_chosen`, over the chosen elements.
void choose(std::span<const float> x, const Routing& routing, std::span<Choice> choices);
// Computes out += weight * x; for the first term of a sum, out = weight * x.
void accumulate(std::span<const float> x, float weight, bool first, std::span<float> out);

// Quantises x to INT16 codes and returns their scale. Checked version of levee::quantise_int16().
float quantise(std::span<const float> x, std::span<std::int16_t> codes);
// Quantises to INT8 codes. Checked version of levee::quantise_int8().
float quantise8(std::span<const float> x, std::span<std::int8_t> codes);
// Quantises to INT4 codes, one per byte. Checked version of levee::quantise_int4().
float quantise4(std::span<const float> x, std::span<std::int8_t> codes);

// Reads a row of out.size() elements from an embedding table. Types are INT3, INT4 and INT8 with
// scales, or FP16 and FP32 without. Element i has scales[i / group]; with group 0, all have
// scales[0]. If `position_row` is given, it is added.
void embed(std::span<const std::byte> row, levee_type type, std::span<const float> scales,
           std::uint32_t group, std::span<const float> position_row, std::span<float> out);

// Result of one pass over x: the maximum, its index (the lowest on ties), and the sum of exp(x -
// maximum).
struct Maximum {
    std::uint32_t index = 0;
    float value = 0.0f;
    float sum_exp = 0.0f;
};
Maximum maximum(std::span<const float> x);

// Returns the largest element. x must not be empty. NaN elements are never picked; if all are NaN,
// the index is 0.
levee_sfu_pick argmax(std::span<const float> x);
// Draws from softmax(x / temperature) by the inverse CDF in index order. The random word is (seed,
// stream 0, vector). If the temperature is not above 0, the result is that of argmax().
levee_sfu_pick sample(std::span<const float> x, float temperature, std::uint32_t seed,
                      std::uint64_t vector);
// Returns the log-probability of element `target`, which must be below x.size().
levee_sfu_pick log_prob(std::span<const float> x, std::uint32_t target);

} // namespace levee::sfu
