// SPDX-License-Identifier: Apache-2.0
// Images of models that were not trained.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

struct SyntheticOptions {
    WeightFormat weights{}; ///< INT8, INT4 or INT3 with or without groups, FP16 or FP32
    std::uint64_t seed = 1;
    std::string name = "synthetic"; ///< at most 31 bytes
};

/// Makes random weights for a given shape. Each weight is a hash of seed, tensor and index, so it
/// is the same on every computer. Every matrix preserves the variance of its input; norms are near
/// 1, and biases near 0. There is no tokenizer, BOS or EOS, and tokens print as their numbers.
/// Throws ModelError for an impossible shape.
ModelSource synthetic_source(const ModelShape& shape, const SyntheticOptions& options);

/// Returns the image of this model, in memory.
std::vector<std::uint8_t> import_synthetic(const ModelShape& shape,
                                           const SyntheticOptions& options);

} // namespace levee
