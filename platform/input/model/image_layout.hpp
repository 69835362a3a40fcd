// SPDX-License-Identifier: Apache-2.0
// The layout of a model image.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

struct ImageLayout {
    levee_model_header header{}; ///< crc32 is 0 here: it depends on the contents
    std::vector<levee_tensor_entry> entries;

    /// Header and table, as an image begins.
    std::vector<std::uint8_t> bytes() const;
};

/// Throws ModelError for a type that matrices do not have or a name that the header cannot hold.
void check_image_options(const WeightFormat& weights, const std::string& name);

/// Appends the layers' flags, the first tensor, to header and table `bytes` of an image without
/// data, since firmware reads them for any model. Does nothing for a shape without flags.
void append_layer_flags(const ModelShape& shape, const ImageLayout& layout,
                        std::vector<std::uint8_t>& bytes);

/// Records of matrices that a component keeps.
struct KeptRecords {
    std::uint32_t count = 0;    ///< 0: all matrices are in the image
    std::uint32_t bytes = 0;    ///< Bytes of each scale.
    bool experts_apart = false; ///< experts' matrices are neither in the image nor kept
};

/// Whether the tensors form one matrix of a layer, which a component may keep.
bool is_layer_matrix(const TensorGroup& group);

/// Whether the tensors form a matrix of a layer's experts.
bool is_experts_matrix(const TensorGroup& group);

/// Offset of the next matrix of experts after one that ends at `end`.
std::uint64_t experts_offset(std::uint64_t end);

/// The layout of an image of a (checked) shape. weights: form of the matrices. name: at most 31
/// bytes. tokenizer_bytes: size of its section, 0 for none. kept: records that replace the layers'
/// matrices. With experts apart, their offsets count from 0 among themselves.
ImageLayout lay_out_image(const ModelShape& shape, const WeightFormat& weights,
                          const std::string& name, std::uint64_t tokenizer_bytes,
                          const KeptRecords& kept = {});

} // namespace levee
