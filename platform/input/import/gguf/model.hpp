// SPDX-License-Identifier: Apache-2.0
// Import of GGUF files.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

struct GgufOptions {
    bool ids_only = false; ///< omit the file's tokenizer, so that tokens print as their numbers
    std::string name{}; ///< empty: general.name or else the file's name, cut to the length that an
                        ///< image holds
    /// Unknown keys of the architecture that are ignored.
    std::vector<std::string> ignored_keys{};
};

/// Opens a GGUF file of a kind that docs/model.md lists; it is read in pieces. Throws ModelError
/// that names the file and the key or tensor.
ModelSource gguf_source(const std::filesystem::path& path, const GgufOptions& options);

/// Readable architectures: "llama, qwen2, ...".
std::string gguf_architectures();
/// Readable types of tensors: "F32, F16, ...".
std::string gguf_tensor_types();

} // namespace levee
