// SPDX-License-Identifier: Apache-2.0
// Families whose checkpoints have their own tensor names and orders: GPT-NeoX, Falcon-7B, EXAONE
// 3.5, InternLM 2 and MiniCPM. Nothing here is shared with an importer, nor with the reference of
// the other families.
#pragma once

#include "test/reference/family_checkpoint.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

/// Each of these families, and variants that differ from it in one key. The title of a variant
/// begins with its family's, then ": ".
std::vector<FamilyCheckpoint> named_checkpoints();

/// Logits after each token, from position 0, in double precision.
std::vector<std::vector<double>> named_logits(const FamilyCheckpoint& model,
                                              std::span<const std::uint32_t> tokens);

/// Turns of each pair of a head's rotated elements per position, in radians.
std::vector<double> named_rotation(const FamilyCheckpoint& model);
double named_base(const FamilyCheckpoint& model);

} // namespace levee::test
