// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/element_type.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee {

/// A matrix of a model's layer, for a component that keeps matrices in its own format.
struct ModelMatrix {
    std::uint32_t kind = 0; ///< enum levee_tensor_kind of the tensor it begins with
    std::uint32_t layer = 0;
    levee_type type = LEVEE_TYPE_NONE;
    std::uint32_t rows = 0, columns = 0; ///< outputs, inputs
    std::uint32_t row_bytes = 0;
    std::span<const std::uint8_t> data; ///< row by row; empty in a run without data
};

/// Gets the data that is placed in a component's storage before a run, no byte twice.
using StorageSink = std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)>;

/// Matrices as a component keeps them.
struct KeptMatrices {
    /// Information for firmware, one record for each matrix. All have the same size, a multiple of
    /// 4, and begin with a levee_kept_head (core/abi/model_image.h).
    std::vector<std::vector<std::uint8_t>> records;
    std::uint64_t bytes = 0; ///< bytes of the storage that may be in use, from its beginning
    /// The component's choices where its keys leave them open: a line for each kind of matrix.
    std::vector<std::string> choices;
};

} // namespace levee
