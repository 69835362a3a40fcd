// SPDX-License-Identifier: Apache-2.0
// Computes models of published families in double precision, from the tensors and keys of their
// checkpoints, as the families' own descriptions define them. Shares no code with an importer, nor
// with references that read an image.
#pragma once

#include "test/reference/family_checkpoint.hpp"

#include <span>

namespace levee::test {

/// Returns the logits after each token, starting at position 0.
std::vector<std::vector<double>> family_logits(const FamilyCheckpoint& model,
                                               std::span<const std::uint32_t> tokens);

/// A layer's rotation: radians per position of each pair, and a factor for cosine and sine.
struct Rotation {
    std::vector<double> radians;
    double factor = 1.0;
};
Rotation rotation_of(const FamilyCheckpoint& model, std::uint32_t layer);

} // namespace levee::test
