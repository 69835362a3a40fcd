// SPDX-License-Identifier: Apache-2.0
// Differences of models within a layer, on values that have no format of a machine yet.
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

// Queries or keys of all heads, in place: normalised by head or together, then rotated, each where
// the model does so.
void place_heads(const ModelImage& image, const Positioned& positioned, std::span<float> x);

// The activation of `x` (not gated: W_UP's result; gated: W_GATE's), times `up` where it is gated;
// out may be either.
void activate(const ModelShape& shape, std::span<const float> x, std::span<const float> up,
              std::span<float> out);

} // namespace levee::test
