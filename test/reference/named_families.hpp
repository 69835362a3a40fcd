// SPDX-License-Identifier: Apache-2.0
// Families whose checkpoints have different names and orders of tensors: GPT-NeoX, Falcon-7B,
// EXAONE 3.5, InternLM 2 and MiniCPM. Shares no code with an importer, nor with the reference of
// the other families.
#pragma once

#include "test/reference/family_checkpoint.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

/// Returns each of these families, and variants that differ from it in one key. A variant's title
/// begins with its family's, then ": ".
std::vector<FamilyCheckpoint> named_checkpoints();

/// Returns the logits after each token in double precision, starting at position 0.
std::vector<std::vector<double>> named_logits(const FamilyCheckpoint& model,
                                              std::span<const std::uint32_t> tokens);

/// Returns the rotation of each pair of a head's rotated elements in radians per position.
std::vector<double> named_rotation(const FamilyCheckpoint& model);
double named_base(const FamilyCheckpoint& model);

} // namespace levee::test
