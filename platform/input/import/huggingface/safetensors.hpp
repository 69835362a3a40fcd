// SPDX-License-Identifier: Apache-2.0
// Tensors of a folder of safetensors files.
#pragma once

#include "platform/input/model/file.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace levee::hf {

struct StoredTensor {
    std::string type;                 ///< "F32", "F16", "BF16", or another name of the format
    std::vector<std::uint64_t> shape; ///< C order
    std::shared_ptr<const InputFile> file;
    std::uint64_t offset = 0; ///< offset of the first byte in the file
    std::uint64_t values = 0;
};

/// Tensors by name.
using StoredTensors = std::map<std::string, StoredTensor>;

/// Reads the table of one file. Checks its length and its JSON, and that the tensors fill the file
/// without gaps or overlaps. Throws ModelError that names the file and the tensor.
StoredTensors read_safetensors(const std::filesystem::path& file);

/// Reads "model.safetensors", or the files that "model.safetensors.index.json" lists. Each file
/// must have exactly the tensors that are listed for it.
StoredTensors read_safetensors_folder(const std::filesystem::path& folder);

/// Returns a shape as a text, such as "[2, 3]".
std::string shape_text(const std::vector<std::uint64_t>& shape);
/// Returns "<file>: tensor <name>" for messages.
std::string tensor_title(const StoredTensor& tensor, const std::string& name);

/// Reads values as FP32 without rounding, beginning with value number `first`. Throws ModelError
/// for a type other than F32, F16 and BF16 (see is_readable()).
void read_values(const StoredTensor& tensor, std::uint64_t first, std::span<float> out);
bool is_readable(const StoredTensor& tensor);

/// Throws ModelError if the tensor has another shape or type. An empty type accepts any type that
/// is readable.
void expect_tensor(const StoredTensor& tensor, const std::string& name,
                   const std::vector<std::uint64_t>& shape, const std::string& type);

} // namespace levee::hf
