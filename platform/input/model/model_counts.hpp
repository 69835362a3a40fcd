// SPDX-License-Identifier: Apache-2.0
// Parameters and bytes of a model.
#pragma once

#include "platform/input/model/model_shape.hpp"

#include <cstdint>
#include <span>

namespace levee {

struct ModelCount {
    std::uint64_t all = 0;
    /// The count without the experts that a token does not choose.
    std::uint64_t active = 0;
};

/// Returns the parameters of a shape, embeddings included.
ModelCount parameters_of(const ModelShape& shape);

/// Returns the bytes of an image's tensors, except phases and flags, and including scales. Active
/// bytes are those that a decode step reads. Learned positions, and an embedding that does not also
/// serve as classifier, count as one row.
ModelCount weight_bytes_of(const ModelShape& shape, std::span<const levee_tensor_entry> entries,
                           const WeightFormat& weights);

} // namespace levee
