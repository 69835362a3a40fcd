// SPDX-License-Identifier: Apache-2.0
// Writes model images, a few rows at a time.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace levee {

/// Called as an image grows.
using ImageProgress = std::function<void(std::uint64_t bytes, std::uint64_t total)>;

/// Writes the image of a model and returns its size in bytes. weights: format of the matrices.
/// Memory does not grow with the model: some megabytes of rows, the scales of one group of tensors,
/// and the tokenizer. The file appears when it is complete; until then, and after an error, an
/// older file stays. Throws ModelError for an impossible shape, a source that does not fit it,
/// values that the type cannot hold, and a file that cannot be written.
std::uint64_t write_image(const ModelSource& source, const WeightFormat& weights,
                          const std::filesystem::path& path, const ImageProgress& progress = {});

/// The same bytes in memory, for small models.
std::vector<std::uint8_t> image_in_memory(const ModelSource& source, const WeightFormat& weights);

} // namespace levee
