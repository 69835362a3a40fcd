// SPDX-License-Identifier: Apache-2.0
// Bounds the error of sums over samples. Between two samples, the sum assumes that the figure
// follows a straight line. Suppose that the figure is curved in only one direction near this gap,
// or jumps once. Then it lies between this line and the lines extrapolated from the neighbouring
// samples. The largest distance between these lines bounds the error, and omitting a sample has the
// same effect. The assumption fails at an inflection, so in general the bound is only an estimate.
#pragma once

#include "platform/run/sampling/choice.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// A change of the samples' weights, for an estimate of the error.
struct Variation {
    enum class Kind {
        LeftOut, ///< one sample is omitted, and its parts lie on the line between its neighbours
        Held     ///< between two fixed samples, the figure keeps the value of the first
    };
    Kind kind = Kind::LeftOut;
    std::size_t sample = 0;                ///< the omitted sample, or the first sample of the gap
    std::size_t first = 0;                 ///< first sample to which `doubled` applies
    std::array<std::int64_t, 3> doubled{}; ///< changes of the doubled weights
};

/// Returns the variations that bound() needs. `samples` must be ascending.
[[nodiscard]] std::vector<Variation> variations(std::span<const Sample> samples);

/// Returns the largest error of a sum over all parts. In each gap and its neighbouring gaps, the
/// figure must be curved in one direction, or jump once between the lines through the samples on
/// both sides. Between two adjacent fixed samples it must be monotonic. `changes` has the sum's
/// change under each of `variations`, which belong to `samples`.
[[nodiscard]] double bound(std::span<const Sample> samples, std::span<const Variation> variations,
                           std::span<const double> changes);

} // namespace levee::sampling
