// SPDX-License-Identifier: Apache-2.0
// A model image whose matrices components keep in their own formats.
#pragma once

#include "core/memory/expert_matrices.hpp"
#include "core/memory/model_matrix.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// Contents of the memory with the role `model`.
struct MemoryImage {
    std::vector<std::uint8_t> bytes; ///< In a run without data only the head.
    std::uint64_t image_bytes = 0;   ///< room that it takes
};

/// Place of experts' matrices outside the image: consecutive, from `offset` of a storage whose
/// first byte has this address.
struct ExpertsStorage {
    std::uint64_t address = 0, offset = 0;
};

/// Passes experts' matrices to the storage and returns the address after them. Without data it only
/// returns that address.
std::uint64_t place_experts(const ModelImage& image, std::uint64_t offset, const StorageSink& sink);

/// Places of these matrices in the storage.
[[nodiscard]] std::vector<ExpertMatrices> expert_matrices(const ModelImage& image,
                                                          std::uint64_t offset);

/// Redirects the tensors of experts in an image at `model` to those in the storage.
void point_to_experts(MemoryImage& image, std::uint64_t model, const ExpertsStorage& storage);

/// Matrices of the layers; consecutive tensors form one matrix. Their data belong to the image,
/// which must outlive them. experts_apart: without matrices of experts.
[[nodiscard]] std::vector<ModelMatrix> layer_matrices(const ModelImage& image,
                                                      bool experts_apart = false);

/// The image with `records` (KeptMatrices) in place of the data of its layers' matrices; scales and
/// biases stay. `records` are those of layer_matrices(), in their order. Empty: nothing is kept,
/// and experts are separate.
[[nodiscard]] MemoryImage memory_image(const ModelImage& image,
                                       std::span<const std::vector<std::uint8_t>> records,
                                       bool experts_apart = false);

} // namespace levee
