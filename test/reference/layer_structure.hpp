// SPDX-License-Identifier: Apache-2.0
// The steps of a layer in which models differ. They are computed on plain values, without a
// machine's number format.
#pragma once

#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>

namespace levee::test {

// Describes vectors: their kind, layer and position.
struct Positioned {
    levee_tensor_kind norm; // either NORM_QUERY or NORM_KEY
    std::uint32_t layer, position;
};

// Normalises queries or keys in place, each head separately or all heads together, and then rotates
// them. Both only if the model does so.
void place_heads(const ModelImage& image, const Positioned& positioned, std::span<float> x);

// Applies the activation to `x`, the result of W_UP, or with a gate that of W_GATE. Multiplies by
// `up` if there is a gate. `out` may be either input.
void activate(const ModelShape& shape, std::span<const float> x, std::span<const float> up,
              std::span<float> out);

} // namespace levee::test
