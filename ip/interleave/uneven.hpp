// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/interleave/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::interleave {

/// The share of a pattern that one way serves.
struct Share {
    std::uint64_t bytes = 0;
    std::uint64_t runs = 0; ///< runs that contain any of these bytes
};

/// True if all runs of the pattern along this loop level have the same alignment to the period.
[[nodiscard]] bool is_even(const Division& division, const AccessPattern& pattern,
                           std::size_t level);

/// Exact share of each way. If runs outnumber the places in a period, they are counted by their
/// starting place, which bounds the cost.
[[nodiscard]] std::vector<Share> count_shares(const Division& division,
                                              const AccessPattern& pattern);

/// A pattern that approximates the runs in `way`, inside the part of the pattern's extent that it
/// serves: as many runs, of their mean length, at proportional distances.
[[nodiscard]] AccessPattern stand_in(const Division& division, const AccessPattern& pattern,
                                     unsigned way, const Share& share);

} // namespace levee::interleave
