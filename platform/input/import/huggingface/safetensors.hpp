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
    std::string type;                 ///< "F32", "F16", "BF16", or another name that the format has
    std::vector<std::uint64_t> shape; ///< C order
    std::shared_ptr<const InputFile> file;
    std::uint64_t offset = 0; ///< Offset of the first byte in the file.
    std::uint64_t values = 0;
};

/// Tensors by name.
using StoredTensors = std::map<std::string, StoredTensor>;

/// The table of one file: its length, its JSON, and that the tensors fill the file without gap and
/// overlap are checked. Throws ModelError naming file and tensor.
StoredTensors read_safetensors(const std::filesystem::path& file);

/// "model.safetensors", or the files of "model.safetensors.index.json", each of which must have
/// exactly the listed tensors.
StoredTensors read_safetensors_folder(const std::filesystem::path& folder);

/// "[2, 3]".
std::string shape_text(const std::vector<std::uint64_t>& shape);
/// "<file>: tensor <name>".
std::string tensor_title(const StoredTensor& tensor, const std::string& name);

/// Values from number `first` on as FP32, exactly. Throws ModelError for a type that is not F32,
/// F16 or BF16 (see is_readable()).
void read_values(const StoredTensor& tensor, std::uint64_t first, std::span<float> out);
bool is_readable(const StoredTensor& tensor);

/// Throws ModelError for a tensor of another shape or type; empty: any that is readable.
void expect_tensor(const StoredTensor& tensor, const std::string& name,
                   const std::vector<std::uint64_t>& shape, const std::string& type);

} // namespace levee::hf
