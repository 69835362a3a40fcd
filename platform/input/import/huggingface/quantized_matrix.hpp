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

/// Reads rows of a quantised matrix in the order of an image, with one row per output. Only a part
/// of the matrix is in memory at a time.
class QuantizedMatrix {
public:
    virtual ~QuantizedMatrix() = default;
    /// Reads whole rows as FP32, beginning with row `first`. A value is (code - zero point) *
    /// scale, rounded once; some formats have no zero point.
    virtual void read(std::uint64_t first, std::span<float> out) = 0;
};

/// Where a checkpoint stores a quantised matrix.
struct MatrixPlace {
    std::string name; ///< "model.layers.0.mlp.up_proj.weight"
    std::uint64_t rows, cols;
};

/// Returns the names of the tensors that hold the matrix. Empty if the matrix is absent or not
/// quantised.
std::vector<std::string> names_of_quantized(const StoredTensors& stored,
                                            const Quantization& quantization,
                                            const std::string& name);

/// Opens a quantised matrix. Throws ModelError with the name of a tensor that is absent, or whose
/// type or shape contradicts config.json.
std::shared_ptr<QuantizedMatrix> quantized_matrix(const StoredTensors& stored,
                                                  const Quantization& quantization,
                                                  const MatrixPlace& place);

} // namespace levee::hf
