// SPDX-License-Identifier: Apache-2.0
// Images of untrained models.
#pragma once

#include "platform/input/model/model_source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

struct SyntheticOptions {
    WeightFormat weights{}; ///< INT8, INT4 or INT3, maybe in groups, FP16 or FP32
    std::uint64_t seed = 1;
    std::string name = "synthetic"; ///< At most 31 bytes.
};

/// Weights of a given shape, each a hash of seed, tensor and index: the same on every machine.
/// Every matrix keeps the variance of its input, norms are near 1, biases near 0. Without a
/// tokenizer: tokens print as their numbers, and there is neither BOS nor EOS. Throws ModelError
/// for an impossible shape.
ModelSource synthetic_source(const ModelShape& shape, const SyntheticOptions& options);

/// The model's image, in memory.
std::vector<std::uint8_t> import_synthetic(const ModelShape& shape,
                                           const SyntheticOptions& options);

} // namespace levee
