// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/config.hpp"
#include "platform/input/import/huggingface/safetensors.hpp"
#include "platform/input/import/huggingface/tensor_place.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace levee::hf {

/// Places of tensors in a checkpoint, by layer and kind.
using TensorPlaces = std::map<std::pair<std::uint32_t, std::uint32_t>, TensorPlace>;

/// Finds each tensor of the shape by its name in transformers. Q, K and V, and gate and up, may be
/// joined in one tensor (qkv_proj or Wqkv, gate_up_proj). Throws ModelError for a missing tensor, a
/// wrong shape, an unsupported type, and a tensor that the model does not have. Skips tensors
/// without effect on the text: rotary_emb.inv_freq, zero biases next to codes, and layers that
/// predict further tokens. With a note, it also skips the part for images, and the classifier of a
/// model whose embedding is the classifier.
TensorPlaces place_tensors(const Config& config, const StoredTensors& stored,
                           const std::string& source, std::vector<std::string>& notes);

} // namespace levee::hf
