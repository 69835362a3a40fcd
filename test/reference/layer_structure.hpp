// SPDX-License-Identifier: Apache-2.0
// Differences between models within a layer, on values without a machine's number format.
#pragma once

#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>

namespace levee::test {

// Kind, layer and position of vectors.
struct Positioned {
    levee_tensor_kind norm; // NORM_QUERY or NORM_KEY
    std::uint32_t layer, position;
};

// Queries or keys of all heads, in place: normalised by head or together, then rotated, if the
// model does so.
void place_heads(const ModelImage& image, const Positioned& positioned, std::span<float> x);

// The activation of `x` (W_UP's result; with a gate W_GATE's), times `up` if gated. out may be
// either input.
void activate(const ModelShape& shape, std::span<const float> x, std::span<const float> up,
              std::span<float> out);

} // namespace levee::test
