// SPDX-License-Identifier: Apache-2.0
// A model image of which components keep matrices in forms of their own.
#pragma once

#include "core/memory/model_matrix.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// What lies in the memory with the role `model`.
struct MemoryImage {
    std::vector<std::uint8_t> bytes; ///< in a run without data only its head
    std::uint64_t image_bytes = 0;   ///< room that it takes
};

/// Matrices of the layers; tensors that lie one after another are one matrix. Their data are the
/// image's, which must outlive them.
[[nodiscard]] std::vector<ModelMatrix> layer_matrices(const ModelImage& image);

/// The image with `records` (KeptMatrices) in place of the data of its layers' matrices, whose
/// scales and biases stay. `records` are those of layer_matrices(), in their order.
[[nodiscard]] MemoryImage memory_image(const ModelImage& image,
                                       std::span<const std::vector<std::uint8_t>> records);

} // namespace levee
