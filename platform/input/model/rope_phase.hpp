// SPDX-License-Identifier: Apache-2.0
// Phases of rotary positions.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace levee {

/// Returns the scaled rotation per position of a pair of elements, in turns. The given and the
/// returned value are below 1.
using TurnScaling = std::function<double(std::uint32_t pair, double turns)>;

/// Returns theta^(-2i / head_dim) / 2 pi for i = 0 .. head_dim / 2 - 1. These are the turns per
/// position in units of 2^-32, rounded to nearest. head_dim must be even and positive, and theta >
/// 1. Only IEEE arithmetic is used, without libm, so that every machine gets the same bits. If
/// `scaling` is not null, it changes each value before rounding.
std::vector<std::uint32_t> rope_phases(std::uint32_t head_dim, double theta,
                                       const TurnScaling& scaling = {});

} // namespace levee
