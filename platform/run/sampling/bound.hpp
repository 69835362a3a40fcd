// SPDX-License-Identifier: Apache-2.0
// How far sums over samples may be off. In a gap between two samples the sum takes their chord. A
// figure that curves one way there and in the gaps beside lies between it and a line that the
// samples before, or those behind, would draw on; one that jumps between the two lines, too. So the
// farther of them bounds the error: how much chords turn at a sample, which is what leaving it out
// changes. Where a figure begins to curve the other way at a sample its chords need not turn there:
// for figures in general the bound is an upper estimate.
#pragma once

#include "platform/run/sampling/choice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// Other weights that samples could have had.
struct Variation {
    enum class Kind {
        LeftOut, ///< one sample is not done, its parts are on the line between its neighbours
        Held     ///< in a gap between two fixed samples the figure stays as at its beginning
    };
    Kind kind = Kind::LeftOut;
    std::size_t sample = 0;                ///< left out, or at the gap's beginning
    std::size_t first = 0;                 ///< whose doubled weight `doubled` begins with
    std::array<std::int64_t, 3> doubled{}; ///< what is added to doubled weights
};

/// Those that bound() needs. `samples`: ascending.
[[nodiscard]] std::vector<Variation> variations(std::span<const Sample> samples);

/// The most by which a sum over all parts is off, of a figure that in each gap between samples
/// and those beside it curves one way, or jumps once from the line of the samples before to that of
/// those behind; and does not turn back between two fixed samples that have none in between.
/// `changes`: by how much each of `variations`, those of `samples`, changes the sum.
[[nodiscard]] double bound(std::span<const Sample> samples, std::span<const Variation> variations,
                           std::span<const double> changes);

} // namespace levee::sampling
