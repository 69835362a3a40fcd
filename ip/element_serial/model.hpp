// SPDX-License-Identifier: Apache-2.0
// Bit-exact reference of the unit. Definitions are in ip/element_serial/README.md. All functions
// are pure. A NaN in a result is canonical.
#pragma once

#include "ip/element_serial/regs.h"

#include <cstdint>
#include <span>

namespace levee::element_serial {

enum class Function : std::uint8_t {
    Softmax = LEVEE_ES_SOFTMAX,
    RmsNorm = LEVEE_ES_RMS_NORM,
    LayerNorm = LEVEE_ES_LAYER_NORM
};

using Statistics = levee_es_statistics;

// Neutral operands, for operations without y, gain or bias.
inline constexpr float no_addend = -0.0f;
inline constexpr float no_factor = 1.0f;

/// Converts an element to FP16 for REDUCE: x plus y, or for a softmax x * scale plus y.
[[nodiscard]] std::uint16_t entered(Function function, float scale, float x, float y);

/// Computes the statistics of a vector v (FP16). `tile` is the number of elements in a tile, at
/// least 1. An empty vector gives (-infinity, 0) for a softmax and (0, 0) for a norm.
[[nodiscard]] Statistics reduce(Function function, std::uint32_t tile,
                                std::span<const std::uint16_t> v);

/// Factors of NORMALISE. The result for an element v of a norm is (v - shift) * scale; of a
/// softmax, exp(v - shift) * scale.
struct Factors {
    float shift = 0.0f;
    float scale = 0.0f;
};
/// Computes the factors. `n` is the number of elements of the vector; not 0 for norms.
[[nodiscard]] Factors factors_of(Function function, const Statistics& statistics, std::uint32_t n,
                                 float epsilon);

/// Returns the result of NORMALISE for an element, in FP16. Norms also use `gain` and `bias`.
[[nodiscard]] std::uint16_t normalised(Function function, const Factors& factors, std::uint16_t v,
                                       float gain, float bias);

} // namespace levee::element_serial
