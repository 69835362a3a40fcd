// SPDX-License-Identifier: Apache-2.0
// Matrices of all experts of a layer in one tensor, each [inputs, outputs], gates and ups by turns.
#pragma once

#include "platform/input/import/huggingface/quantized_matrix.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace levee::hf {

/// Experts' matrices, or their biases, one after another.
struct ExpertsPlace {
    std::string name; ///< "model.layers.0.mlp.experts.gate_up_proj"
    std::uint64_t experts;
    std::uint64_t rows, cols; ///< Rows and columns of each expert's matrix; biases have one column.
    bool in_turn;             ///< stored rows are a gate, an up, a gate, ...; read are gates first
};

/// Tensors of the experts: one, or with MXFP4 blocks and their scales. Empty: none.
std::vector<std::string> names_of_experts(const StoredTensors& stored, const std::string& name);

/// Throws ModelError for a tensor of another type or shape.
std::shared_ptr<QuantizedMatrix> experts_matrix(const StoredTensors& stored,
                                                const ExpertsPlace& place);
std::shared_ptr<QuantizedMatrix> experts_biases(const StoredTensors& stored,
                                                const ExpertsPlace& place);

} // namespace levee::hf
