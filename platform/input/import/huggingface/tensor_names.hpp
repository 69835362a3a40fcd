// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/config.hpp"
#include "platform/input/import/huggingface/safetensors.hpp"

#include <map>
#include <string>
#include <utility>

namespace levee::hf {

/// Where the tensors of an image are in a checkpoint, by layer and kind.
using TensorPlaces = std::map<std::pair<std::uint32_t, std::uint32_t>, std::string>;

/// The name of each tensor of the shape, as transformers gives it. Throws ModelError for one that
/// is absent, of another shape or of a type that is not read, and for one that the model does not
/// have. What changes nothing (rotary_emb.inv_freq; a classifier beside an embedding that serves as
/// such) is passed over; `notes` says the second.
TensorPlaces place_tensors(const Config& config, const StoredTensors& stored,
                           const std::string& source, std::vector<std::string>& notes);

/// Rows of a stored tensor before those of the image: OPT's table of positions begins with two that
/// no position has.
std::uint32_t rows_before(const Config& config, const TensorSpec& spec);

} // namespace levee::hf
