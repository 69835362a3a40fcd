// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/stripe/model.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::stripe {

/// What of a pattern lies in one way.
struct Share {
    std::uint64_t bytes = 0;
    std::uint64_t runs = 0; ///< that have any of these bytes
};

/// True if the pattern's runs lie alike in their periods all along this level of its loops.
[[nodiscard]] bool is_even(const Division& division, const AccessPattern& pattern,
                           std::size_t level);

/// Each way's share, exactly. Runs are counted by where they begin in a period, which is bounded,
/// when there are more of them than such places.
[[nodiscard]] std::vector<Share> count_shares(const Division& division,
                                              const AccessPattern& pattern);

/// A pattern inside what `way` serves of the pattern's extent that stands for its runs there: as
/// many of them, of their mean length, as far apart as the pattern's are in proportion.
[[nodiscard]] AccessPattern stand_in(const Division& division, const AccessPattern& pattern,
                                     unsigned way, const Share& share);

} // namespace levee::stripe
