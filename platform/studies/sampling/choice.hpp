// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace levee::sampling {

/// Which of the parts of a run are done.
struct Sample {
    std::uint32_t part = 0;
    bool fixed = false; ///< stays when every second one of the others is left out
};

/// `count` of the parts [0, total), or all of them if there are no more: the first, the last, those
/// of `kinks` that there are, and others that halve the widest gap, and so on. total > 0.
[[nodiscard]] std::vector<Sample> choose(std::uint32_t total, std::uint32_t count,
                                         std::span<const std::uint64_t> kinks);

/// For how many parts each sample stands, times two: between two samples the parts are on the
/// straight line. The weights' sum is 2 * (last + 1 - first). `samples`: ascending.
[[nodiscard]] std::vector<std::uint64_t> doubled_weights(std::span<const Sample> samples);

/// The same with every second sample that is not fixed left out: those weigh nothing.
[[nodiscard]] std::vector<std::uint64_t> doubled_weights_of_half(std::span<const Sample> samples);

} // namespace levee::sampling
