// SPDX-License-Identifier: Apache-2.0
// Writes a model image.
#pragma once

#include "platform/input/model/model_shape.hpp"
#include "platform/input/model/quantize.hpp"
#include "platform/input/model/tokenizer.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Takes the tensors of a shape in any order, each once, and lays them out as the format asks.
class ImageBuilder {
public:
    /// weights: type of the matrices. name: at most 31 bytes. Throws ModelError.
    ImageBuilder(const ModelShape& shape, const WeightFormat& weights, const std::string& name);

    /// A matrix or vector of the shape, FP32 [rows, cols]. Throws ModelError for a tensor that the
    /// shape does not have, another size, a second time, or values that the type cannot hold.
    void add(levee_tensor_kind kind, std::uint32_t layer, std::span<const float> values);
    /// Phases of rotated positions, head_dim / 2 (see rope_phases()).
    void add_phases(std::span<const std::uint32_t> phases);

    /// The image's bytes. Throws ModelError if a tensor is missing or the tokenizer's vocabulary is
    /// not the model's.
    std::vector<std::uint8_t> build(const Tokenizer& tokenizer) const;

private:
    using Key = std::pair<std::uint32_t, std::uint32_t>; // layer, kind
    const TensorSpec& spec_of(levee_tensor_kind kind, std::uint32_t layer) const;
    void put(const TensorSpec& spec, PackedMatrix tensor);
    const PackedMatrix& packed(const TensorSpec& spec) const;

    ModelShape shape_;
    WeightFormat weights_;
    std::string name_;
    std::vector<TensorGroup> groups_;
    std::map<Key, PackedMatrix> tensors_;
};

} // namespace levee
