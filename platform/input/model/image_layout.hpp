// SPDX-License-Identifier: Apache-2.0
// The layout of a model image.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

struct ImageLayout {
    levee_model_header header{}; ///< crc32 is 0 here, since it depends on the contents
    std::vector<levee_tensor_entry> entries;

    /// Returns the header and the table, with which an image begins.
    std::vector<std::uint8_t> bytes() const;
};

/// Throws ModelError for a type that matrices cannot have, or for a name that does not fit into the
/// header.
void check_image_options(const WeightFormat& weights, const std::string& name);

/// Appends the layers' flags to `bytes`, which has only the header and the table of an image. The
/// flags are the first tensor of an image, and firmware reads them even in runs without data. Does
/// nothing if the shape has no flags.
void append_layer_flags(const ModelShape& shape, const ImageLayout& layout,
                        std::vector<std::uint8_t>& bytes);

/// Describes records for the matrices that a component keeps in its own format.
struct KeptRecords {
    std::uint32_t count = 0;    ///< 0: no matrix has a record
    std::uint32_t bytes = 0;    ///< bytes of each record
    bool experts_apart = false; ///< the experts' matrices are neither in the image nor kept
};

/// Returns whether the tensors form a matrix of a layer, which a component may keep.
bool is_layer_matrix(const TensorGroup& group);

/// Returns whether the tensors form a matrix of a layer's experts.
bool is_experts_matrix(const TensorGroup& group);

/// Returns the aligned offset of the matrix of experts that follows one ending at `end`.
std::uint64_t experts_offset(std::uint64_t end);

/// Computes the layout of an image for a shape that was checked. `weights` is the format of the
/// matrices, and `name` has at most 31 bytes. `tokenizer_bytes` is the size of the tokenizer's
/// section, or 0 if there is none. `kept` describes records that replace the layers' matrices. If
/// the experts' matrices are outside the image, their offsets count from 0.
ImageLayout lay_out_image(const ModelShape& shape, const WeightFormat& weights,
                          const std::string& name, std::uint64_t tokenizer_bytes,
                          const KeptRecords& kept = {});

} // namespace levee
