// SPDX-License-Identifier: Apache-2.0
// A row in groups of as many values as there are lanes, and what becomes of a group by the
// reference.
#pragma once

#include "ip/cpq/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cpq {

struct GroupResult {
    std::vector<LaneResult> lanes;
    std::vector<MadeLevel> levels; ///< Levels in the order of lanes.
    /// Cycles from the one in which the group is taken to the last one of its result.
    std::uint64_t cycles = 0;
};

/// The group's result by the reference's arithmetic, without cycles.
[[nodiscard]] GroupResult group_result(const Group& group);

/// The entry of a channel with these levels.
[[nodiscard]] LaneEntry entry_of(std::span<const Level> levels);
/// The last level of an entry; `step` is the step with which it was made.
[[nodiscard]] Level level_of(const LaneEntry& entry, std::uint32_t step);

/// Cycles from one group to the next (timing.hpp has those of whole operations).
inline constexpr std::uint64_t prune_cycles = 2, quantise_cycles = 3, level_cycles = 36;
[[nodiscard]] constexpr std::uint64_t cycles_of(GroupKind kind, std::uint64_t openings)
{
    return prune_cycles + (kind == GroupKind::Quantise ? quantise_cycles : 0) +
           openings * level_cycles;
}

} // namespace levee::cpq
