// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// A part of a run that is simulated.
struct Sample {
    std::uint32_t part = 0;
    bool fixed = false; ///< an end of the run or a bend, where figures may change direction: it is
                        ///< never left out
};

/// Chooses `count` of the parts [0, total), or all if there are not more: the first, the last,
/// those of `kinks` in range, then repeatedly the middle of the widest gap. total > 0.
[[nodiscard]] std::vector<Sample> choose(std::uint32_t total, std::uint32_t count,
                                         std::span<const std::uint64_t> kinks);

/// The number of parts that each sample stands for, times two, by linear interpolation between
/// neighbours. The weights' sum is 2 * (last + 1 - first). `samples`: ascending.
[[nodiscard]] std::vector<std::uint64_t> doubled_weights(std::span<const Sample> samples);

/// Whether the samples indicate the error: a sample can be left out, or all of `total` parts are
/// simulated and there is no error.
[[nodiscard]] bool tells_error(std::span<const Sample> samples, std::uint32_t total);

} // namespace levee::sampling
