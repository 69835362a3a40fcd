// SPDX-License-Identifier: Apache-2.0
// A transformer in double precision with libm, from the formulas of the model families: what the
// composed reference approximates. It shares no arithmetic with it.
#pragma once

#include "platform/input/model/model_image.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace levee::test {

// Logits after each of the tokens, fed from position 0; weights and turns per position are those
// the image holds.
std::vector<std::vector<double>> plain_logits(const ModelImage& image,
                                              std::span<const std::uint32_t> tokens);

} // namespace levee::test
