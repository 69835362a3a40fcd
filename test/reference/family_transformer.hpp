// SPDX-License-Identifier: Apache-2.0
// Results of published families' models, in double precision, from the tensors and keys of their
// checkpoints, as the families' own descriptions read them. It shares no code with an importer, nor
// with the references that read an image.
#pragma once

#include "test/reference/family_checkpoint.hpp"

#include <span>

namespace levee::test {

/// Logits after each token, from position 0.
std::vector<std::vector<double>> family_logits(const FamilyCheckpoint& model,
                                               std::span<const std::uint32_t> tokens);

/// Rotation in a layer: radians per position of each pair, and the factor of both cosine and sine.
struct Rotation {
    std::vector<double> radians;
    double factor = 1.0;
};
Rotation rotation_of(const FamilyCheckpoint& model, std::uint32_t layer);

} // namespace levee::test
