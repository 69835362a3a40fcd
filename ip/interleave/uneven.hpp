// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/interleave/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::interleave {

/// The share of a pattern that one memory ("way") serves.
struct Share {
    std::uint64_t bytes = 0;
    std::uint64_t runs = 0; ///< Number of runs that contain any of these bytes.
};

/// Whether all runs along this loop level have the same alignment relative to the period.
[[nodiscard]] bool is_even(const Division& division, const AccessPattern& pattern,
                           std::size_t level);

/// Computes the exact share of each memory. If there are more runs than possible starting places in
/// a period, runs are counted by starting place, which bounds the cost.
[[nodiscard]] std::vector<Share> count_shares(const Division& division,
                                              const AccessPattern& pattern);

/// Approximates the runs in memory number `way` by a regular pattern. The pattern has the same
/// number of runs, all with their mean length. Distances are scaled so that all runs lie within the
/// memory's part of the address range.
[[nodiscard]] AccessPattern stand_in(const Division& division, const AccessPattern& pattern,
                                     unsigned way, const Share& share);

} // namespace levee::interleave
