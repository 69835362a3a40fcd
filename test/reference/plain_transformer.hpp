// SPDX-License-Identifier: Apache-2.0
// A transformer in double precision with libm, from the formulas of the model families. The
// composed reference approximates it and shares no arithmetic with it.
#pragma once

#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

// Returns the logits after each token, starting at position 0, with the weights and the turns per
// position of the image.
std::vector<std::vector<double>> plain_logits(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens);

} // namespace levee::test
