// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"
#include "ip/dram/parameters.hpp"

#include <cstdint>

namespace levee::dram {

/// Commands that move data: rows activated (each is precharged once) and whole bursts.
struct CommandCounts {
    std::uint64_t activates = 0;
    std::uint64_t bursts = 0;
};

/// The commands of a pattern alone, in closed form: its size does not matter.
///
/// Bursts are those of BurstWalk. A run that does not begin at a row's first column is counted as
/// if it did; a row stays open while the pattern passes over it, and is opened again for each run
/// of a scattered one. Rows that other streams close are not counted, so activates are a lower
/// bound.
class CommandCounter {
public:
    /// `parameters` are valid.
    explicit CommandCounter(const Parameters& parameters);

    /// Commands that move `bytes` of `pattern`, repeated as often as needed.
    [[nodiscard]] CommandCounts count(const AccessPattern& pattern, std::uint64_t bytes) const;

private:
    [[nodiscard]] CommandCounts once(const AccessPattern& pattern) const;
    [[nodiscard]] CommandCounts scattered(const AccessPattern& pattern) const;
    [[nodiscard]] std::uint64_t shared_bursts(const AccessPattern& pattern, std::size_t level,
                                              std::uint64_t extent) const;
    /// Rows of the first `bursts` bursts of the address space.
    [[nodiscard]] std::uint64_t rows(std::uint64_t bursts) const;

    std::vector<AddressField> fields_;
    std::uint64_t burst_bytes_;
};

} // namespace levee::dram
