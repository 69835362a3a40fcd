// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>

namespace levee::dram {

/// Counts the bursts that BurstWalk visits in a pattern. The closed form takes the same host time
/// for any size of pattern.
class BurstCounter {
public:
    /// `parameters` must be valid.
    explicit BurstCounter(const Parameters& parameters);

    /// Bursts that move `bytes` of `pattern`, repeated as often as needed.
    [[nodiscard]] std::uint64_t count(const AccessPattern& pattern, std::uint64_t bytes) const;

private:
    [[nodiscard]] std::uint64_t once(const AccessPattern& pattern) const;
    [[nodiscard]] std::uint64_t scattered(const AccessPattern& pattern) const;
    [[nodiscard]] std::uint64_t shared_bursts(const AccessPattern& pattern, std::size_t level,
                                              std::uint64_t extent) const;

    std::uint64_t burst_bytes_;
};

} // namespace levee::dram
