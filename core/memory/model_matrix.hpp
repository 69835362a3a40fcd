// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/element_type.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace levee {

struct ModelMatrix {
    std::uint32_t kind = 0; ///< enum levee_tensor_kind of the first tensor in the matrix.
    std::uint32_t layer = 0;
    levee_type type = LEVEE_TYPE_NONE;
    std::uint32_t rows = 0, columns = 0; ///< Number of outputs, and of inputs.
    std::uint32_t row_bytes = 0;
    std::span<const std::uint8_t> data; ///< Row by row; empty in a run without data.
};

/// Receives the data that are placed in a component's storage before a run. Each byte is passed
/// once.
using StorageSink = std::function<void(std::uint64_t offset, std::span<const std::uint8_t>)>;

/// Matrices in a component's own format.
struct KeptMatrices {
    /// Information for firmware, one record for each matrix. All records have the same size, a
    /// multiple of 4, and begin with a levee_kept_head (core/abi/model_image.h).
    std::vector<std::vector<std::uint8_t>> records;
    std::uint64_t bytes = 0; ///< Bytes of the storage that may be in use, from its beginning.
    /// Choices that the component made because its keys leave them open, one line for each kind of
    /// matrix.
    std::vector<std::string> choices;
};

} // namespace levee
