// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/quantized_matrix.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// Where a checkpoint stores a tensor of an image.
struct TensorPlace {
    std::string name;
    /// Number of rows in the stored tensor before the image's rows. These are the two unused rows
    /// of OPT's positions, or the preceding matrices in the same tensor.
    std::uint64_t rows_before = 0;
    std::shared_ptr<QuantizedMatrix> matrix{}; ///< the matrix, if the tensor is stored as codes
    std::optional<float> constant{};           ///< the value, if the tensor is not stored
    /// The parts of a tensor whose rows are stored in several places, with `part_rows` rows in
    /// each.
    std::vector<TensorPlace> parts{};
    std::uint32_t part_rows = 0;
};

} // namespace levee::hf
