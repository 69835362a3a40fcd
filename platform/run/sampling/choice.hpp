// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// A part of a run that is simulated.
struct Sample {
    std::uint32_t part = 0;
    bool fixed = false; ///< an end of the run or a kink, where figures may change direction; never
                        ///< omitted
};

/// Chooses `count` of the parts [0, total), or all of them if there are no more than `count`. It
/// takes the first part, the last part and the parts of `kinks` that are in range. It then
/// repeatedly takes the middle of the widest gap. `total` must be above 0.
[[nodiscard]] std::vector<Sample> choose(std::uint32_t total, std::uint32_t count,
                                         std::span<const std::uint64_t> kinks);

/// Returns, for each sample, twice the number of parts for which it stands, by linear interpolation
/// between neighbouring samples. The sum of the weights is 2 * (last + 1 - first). `samples` must
/// be ascending.
[[nodiscard]] std::vector<std::uint64_t> doubled_weights(std::span<const Sample> samples);

/// Returns whether the samples suffice to know the error. This is so if one sample can be omitted
/// to estimate it, or if all `total` parts are simulated and there is no error.
[[nodiscard]] bool tells_error(std::span<const Sample> samples, std::uint32_t total);

} // namespace levee::sampling
