// SPDX-License-Identifier: Apache-2.0
// Import of a folder that Hugging Face's transformers wrote.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee::hf {

/// Reads config.json, model.safetensors (or an index and its files), and the tokenizer in the
/// folder. `name` is the name for the image; empty: the model's own name. Throws ModelError that
/// names the file and the key or tensor. An unknown key of config.json is an error, unless it is to
/// be ignored.
ModelSource safetensors_source(const std::filesystem::path& folder, const std::string& name,
                               const std::vector<std::string>& ignored_keys = {});

} // namespace levee::hf
