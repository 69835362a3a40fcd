// SPDX-License-Identifier: Apache-2.0
// Import of a folder that Hugging Face's transformers wrote.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee::hf {

/// config.json, model.safetensors (or an index and its files), and the tokenizer that is there.
/// name: in the image; empty: the model's. Keys of config.json that are not known are refused,
/// unless they are to be ignored. Throws ModelError naming file, and key or tensor.
ModelSource safetensors_source(const std::filesystem::path& folder, const std::string& name,
                               const std::vector<std::string>& ignored_keys = {});

} // namespace levee::hf
