// SPDX-License-Identifier: Apache-2.0
// Rotary position phases.
#pragma once

#include <cstdint>
#include <vector>

namespace levee {

/// theta^(-2i / head_dim) / 2 pi for i = 0 .. head_dim / 2 - 1: turns per position, in units of
/// 2^-32, rounded to nearest. head_dim is even and positive, theta > 1. Only IEEE arithmetic, no
/// libm: the same bits on every machine.
std::vector<std::uint32_t> rope_phases(std::uint32_t head_dim, double theta);

} // namespace levee
