// SPDX-License-Identifier: Apache-2.0
// The error bound of sums over samples. In a gap between two samples the sum takes the straight
// line between them. A figure without an inflection near the gap, or with a single jump, lies
// between this line and the extensions of the neighbouring lines. The larger distance bounds the
// error: it is the turn of the lines at a sample, which is the effect of leaving that sample out.
// At an inflection the lines need not turn, so for figures in general the bound is an upper
// estimate.
#pragma once

#include "platform/run/sampling/choice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// Alternative weights of the samples.
struct Variation {
    enum class Kind {
        LeftOut, ///< one sample is not done, its parts are on the line between its neighbours
        Held     ///< in a gap between two fixed samples, the figure keeps the value of the first
    };
    Kind kind = Kind::LeftOut;
    std::size_t sample = 0;                ///< the sample that is left out, or that begins the gap
    std::size_t first = 0;                 ///< first item to which `doubled` applies
    std::array<std::int64_t, 3> doubled{}; ///< changes of doubled weights
};

/// Variations that bound() needs. `samples`: ascending.
[[nodiscard]] std::vector<Variation> variations(std::span<const Sample> samples);

/// Largest error of a sum over all parts. It assumes that, in each gap between samples and in the
/// neighbouring gaps, the figure is curved in one direction, or jumps once between the lines
/// through the samples on both sides, and does not turn back between two adjacent fixed samples.
/// `changes`: change of the sum under each of `variations`, which belong to `samples`.
[[nodiscard]] double bound(std::span<const Sample> samples, std::span<const Variation> variations,
                           std::span<const double> changes);

} // namespace levee::sampling
