// SPDX-License-Identifier: Apache-2.0 Matrices of all experts of a layer in one tensor. Each matrix
// is [inputs, outputs] or, in MXFP4, [outputs, inputs]; its outputs may be gates and ups by turns.
#pragma once

#include "platform/input/import/huggingface/quantized_matrix.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace levee::hf {

/// The stored tensor that contains the matrices of all experts, or their biases, in sequence.
struct ExpertsPlace {
    std::string name; ///< "model.layers.0.mlp.experts.gate_up_proj"
    std::uint64_t experts;
    std::uint64_t rows, cols; ///< rows and columns of each expert's matrix; biases have one column
    bool in_turn;             ///< stored rows alternate between gate and up; all gates are read
                              ///< first
};

/// Returns the names of the experts' tensors: one, or two in MXFP4 (blocks and scales). Empty:
/// there are none.
std::vector<std::string> names_of_experts(const StoredTensors& stored, const std::string& name);

/// Opens the tensors of the experts. Throws ModelError for a tensor of another type or shape.
std::shared_ptr<QuantizedMatrix> experts_matrix(const StoredTensors& stored,
                                                const ExpertsPlace& place);
std::shared_ptr<QuantizedMatrix> experts_biases(const StoredTensors& stored,
                                                const ExpertsPlace& place);

} // namespace levee::hf
