// SPDX-License-Identifier: Apache-2.0
// Rotary position phases.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace levee {

/// A model's change to the turns per position of one pair, which are below 1.
using TurnScaling = std::function<double(std::uint32_t pair, double turns)>;

/// theta^(-2i / head_dim) / 2 pi for i = 0 .. head_dim / 2 - 1: turns per position, in units of
/// 2^-32, rounded to nearest. head_dim is even and positive, theta > 1. Uses only IEEE arithmetic,
/// no libm, for the same bits on every machine. `scaling`, if not null, changes each value before
/// it is rounded.
std::vector<std::uint32_t> rope_phases(std::uint32_t head_dim, double theta,
                                       const TurnScaling& scaling = {});

} // namespace levee
