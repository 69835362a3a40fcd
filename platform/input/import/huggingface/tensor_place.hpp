// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/import/huggingface/quantized_matrix.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace levee::hf {

/// A tensor of an image in a checkpoint.
struct TensorPlace {
    std::string name;
    /// Rows of the stored tensor before the image's rows: two unused rows of OPT's positions, or
    /// the preceding matrices in the same tensor.
    std::uint64_t rows_before = 0;
    std::shared_ptr<QuantizedMatrix> matrix{}; ///< Matrix of a tensor that is stored as codes.
    std::optional<float> constant{};           ///< Value of a tensor that is not stored.
    /// The parts of a tensor whose rows several tensors hold, `part_rows` each.
    std::vector<TensorPlace> parts{};
    std::uint32_t part_rows = 0;
};

} // namespace levee::hf
