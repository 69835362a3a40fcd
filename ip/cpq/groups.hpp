// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/cpq/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::cpq {

struct GroupResult {
    std::vector<LaneResult> lanes;
    std::vector<MadeLevel> levels; ///< Levels, ordered by lane.
    /// Cycles from taking the group to the end of its result.
    std::uint64_t cycles = 0;
};

/// The reference's result for the group, without cycles.
[[nodiscard]] GroupResult group_result(const Group& group);

/// Returns the entry of a channel with these levels.
[[nodiscard]] LaneEntry entry_of(std::span<const Level> levels);
/// Returns the last level of an entry; `step` is the level's step.
[[nodiscard]] Level level_of(const LaneEntry& entry, std::uint32_t step);

/// Cycles to prune a group, to quantise it, and to make one level. timing.hpp has operations.
inline constexpr std::uint64_t prune_cycles = 2, quantise_cycles = 3, level_cycles = 36;
[[nodiscard]] constexpr std::uint64_t cycles_of(GroupKind kind, std::uint64_t openings)
{
    return prune_cycles + (kind == GroupKind::Quantise ? quantise_cycles : 0) +
           openings * level_cycles;
}

} // namespace levee::cpq
