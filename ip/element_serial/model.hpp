// SPDX-License-Identifier: Apache-2.0
// The reference: every bit that the unit computes. Definitions are in ip/element_serial/README.md.
// Pure; a NaN in a result is canonical.
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

// Operands that leave an element as it is, for operations without y, gain or bias.
inline constexpr float no_addend = -0.0f;
inline constexpr float no_factor = 1.0f;

/// An element of REDUCE as FP16: x, of a softmax x * scale, plus y.
[[nodiscard]] std::uint16_t entered(Function function, float scale, float x, float y);

/// Statistics of a vector v (FP16); `tile`: number of elements in a tile, at least 1. Without
/// elements the result is (-infinity, 0) for a softmax and (0, 0) for a norm.
[[nodiscard]] Statistics reduce(Function function, std::uint32_t tile,
                                std::span<const std::uint16_t> v);

/// The function of an element v is (v - shift) * scale; for a softmax it is exp(v - shift) * scale.
struct Factors {
    float shift = 0.0f;
    float scale = 0.0f;
};
/// `n`: elements of the vector, not 0 for norms.
[[nodiscard]] Factors factors_of(Function function, const Statistics& statistics, std::uint32_t n,
                                 float epsilon);

/// Result of NORMALISE for an element, as FP16; `gain` and `bias` apply to norms.
[[nodiscard]] std::uint16_t normalised(Function function, const Factors& factors, std::uint16_t v,
                                       float gain, float bias);

} // namespace levee::element_serial
