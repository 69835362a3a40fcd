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

/// By layer and kind.
using TensorPlaces = std::map<std::pair<std::uint32_t, std::uint32_t>, TensorPlace>;

/// The place of each tensor of the shape, by the names that transformers gives. Q, K and V, and
/// gate and up, may lie one after another in one tensor (qkv_proj or Wqkv, gate_up_proj). Throws
/// ModelError for one that is absent, of another shape or of a type that is not read, and for one
/// that the model does not have. What changes nothing (rotary_emb.inv_freq; biases of zeros beside
/// codes; a classifier beside an embedding that serves as such) is passed over; `notes` says the
/// last.
TensorPlaces place_tensors(const Config& config, const StoredTensors& stored,
                           const std::string& source, std::vector<std::string>& notes);

} // namespace levee::hf
