// SPDX-License-Identifier: Apache-2.0
// Writes model images a few rows at a time.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace levee {

/// Called repeatedly while an image is written, with the bytes written so far and the total.
using ImageProgress = std::function<void(std::uint64_t bytes, std::uint64_t total)>;

/// Writes a model's image and returns its size in bytes. `weights` is the format of the matrices.
/// The memory does not depend on the model's size: it holds some megabytes of rows, the scales of
/// one group of tensors, and the tokenizer. The file appears when it is complete. Until then, and
/// after an error, an older file remains. Throws ModelError for an impossible shape, a source that
/// does not fit the shape, values that the type cannot represent, and a file that cannot be
/// written.
std::uint64_t write_image(const ModelSource& source, const WeightFormat& weights,
                          const std::filesystem::path& path, const ImageProgress& progress = {});

/// Returns the bytes that write_image() would write, for small models.
std::vector<std::uint8_t> image_in_memory(const ModelSource& source, const WeightFormat& weights);

} // namespace levee
