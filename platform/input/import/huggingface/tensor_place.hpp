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
    /// Of the stored tensor, before those of the image's: two rows of OPT's positions that no
    /// position has, or those of the matrices that lie before it in one stored tensor.
    std::uint64_t rows_before = 0;
    std::shared_ptr<QuantizedMatrix> matrix{}; ///< of one that is stored as codes
    std::optional<float> constant{};           ///< of one that is not stored
    /// The parts of a tensor whose rows several tensors hold, `part_rows` each.
    std::vector<TensorPlace> parts{};
    std::uint32_t part_rows = 0;
};

} // namespace levee::hf
