// SPDX-License-Identifier: Apache-2.0
// Import of GGUF files.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace levee {

struct GgufOptions {
    bool ids_only = false; ///< leave the file's tokenizer out: tokens print as their numbers
    std::string name{}; ///< empty: general.name, otherwise the name of the file, as far as an image
                        ///< holds it
    /// Keys of the architecture that are not known, and are not to be refused.
    std::vector<std::string> ignored_keys{};
};

/// A GGUF file (docs/model.md says of which kinds), read in pieces. Throws ModelError naming file
/// and key or tensor.
ModelSource gguf_source(const std::filesystem::path& path, const GgufOptions& options);

/// Architectures that are read: "llama, qwen2, ...".
std::string gguf_architectures();
/// Types of tensors that are read: "F32, F16, ...".
std::string gguf_tensor_types();

} // namespace levee
