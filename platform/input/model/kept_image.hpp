// SPDX-License-Identifier: Apache-2.0
// A model image without the matrices that components keep in their own formats.
#pragma once

#include "core/memory/expert_matrices.hpp"
#include "core/memory/model_matrix.hpp"
#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// The contents of the memory with the role `model`.
struct MemoryImage {
    std::vector<std::uint8_t>
        bytes; ///< in a timing-only run, without the tensors after the layers' flags
    std::uint64_t image_bytes = 0; ///< size of the whole image
};

/// The place of the experts' matrices if they are outside the image: in sequence, beginning at
/// `offset` in a storage whose address is `address`.
struct ExpertsStorage {
    std::uint64_t address = 0, offset = 0;
};

/// Passes the experts' matrices to the storage, beginning at `offset`. Returns the offset of the
/// first byte after them. In a timing-only run, it only computes this offset.
std::uint64_t place_experts(const ModelImage& image, std::uint64_t offset, const StorageSink& sink);

/// Returns the places of the experts' matrices in the storage.
[[nodiscard]] std::vector<ExpertMatrices> expert_matrices(const ModelImage& image,
                                                          std::uint64_t offset);

/// Returns the number of bytes of an image's header and table of tensors. The tensors and the
/// tokenizer follow.
[[nodiscard]] std::uint64_t table_bytes(const ModelImage& image);

/// Changes a header and table for an image whose tensors and tokenizer are `distance` bytes farther
/// away from the table.
void move_tensors(std::span<std::uint8_t> table, std::uint64_t distance);

/// Changes the table of an image at address `model`, so that the tensors of experts refer to the
/// storage.
void point_to_experts(MemoryImage& image, std::uint64_t model, const ExpertsStorage& storage);

/// Returns the layers' matrices. Tensors that follow one another form one matrix. The data belong
/// to the image, which must outlive the result. If `experts_apart` is set, the experts' matrices
/// are omitted. Throws ModelError for weights in groups.
[[nodiscard]] std::vector<ModelMatrix> layer_matrices(const ModelImage& image,
                                                      bool experts_apart = false);

/// Returns the image with `records` (KeptMatrices) in place of the data of the layers' matrices.
/// Scales and biases remain. `records` are in the order of layer_matrices(); empty: no component
/// keeps matrices. With `experts_apart`, the experts' matrices are outside the image.
[[nodiscard]] MemoryImage memory_image(const ModelImage& image,
                                       std::span<const std::vector<std::uint8_t>> records,
                                       bool experts_apart = false);

} // namespace levee
