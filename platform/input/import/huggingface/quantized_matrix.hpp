// SPDX-License-Identifier: Apache-2.0
// Matrices that a checkpoint stores as codes with scales.
#pragma once

#include "platform/input/import/huggingface/quantization.hpp"
#include "platform/input/import/huggingface/safetensors.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee::hf {

/// Reads rows of one, in the order of an image: a row for each output. Memory does not grow with
/// the matrix.
class QuantizedMatrix {
public:
    virtual ~QuantizedMatrix() = default;
    /// Reads whole rows from `first` on as FP32: the integer code times its scale, rounded once.
    virtual void read(std::uint64_t first, std::span<float> out) = 0;
};

/// Place of a quantised matrix.
struct MatrixPlace {
    std::string name; ///< "model.layers.0.mlp.up_proj.weight"
    std::uint64_t rows, cols;
};

/// Tensors that hold the matrix; empty if it is stored unquantised or not at all.
std::vector<std::string> names_of_quantized(const StoredTensors& stored,
                                            const Quantization& quantization,
                                            const std::string& name);

/// Throws ModelError naming a tensor that is absent, or of another type or shape than its matrix
/// has by config.json.
std::shared_ptr<QuantizedMatrix> quantized_matrix(const StoredTensors& stored,
                                                  const Quantization& quantization,
                                                  const MatrixPlace& place);

} // namespace levee::hf
