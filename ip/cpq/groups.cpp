// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/groups.hpp"

#include <algorithm>
#include <bit>

namespace levee::cpq {

namespace {

std::uint32_t bits_of(float value)
{
    return std::bit_cast<std::uint32_t>(value);
}

float number(std::uint32_t bits)
{
    return std::bit_cast<float>(bits);
}

/// Makes a level that covers [min, max], and writes it to the lane's entry.
void make(const Settings& settings, float min, float max, std::uint32_t lane, LaneResult& result,
          std::vector<MadeLevel>& made)
{
    const Level level = make_level(min, max, settings);
    LaneEntry& entry = result.entry;
    made.push_back({lane, entry.levels, bits_of(level.step), level.zero});
    entry = {entry.levels + 1,          false,
             bits_of(level.min),        bits_of(level.max),
             bits_of(level.low),        bits_of(level.high),
             bits_of(level.reciprocal), level.zero};
    result.opened = true;
}

void widen_range(float value, LaneEntry& entry)
{
    const bool first = !entry.ranged;
    entry.min = bits_of(first ? value : std::min(value, number(entry.min)));
    entry.max = bits_of(first ? value : std::max(value, number(entry.max)));
    entry.ranged = true;
}

void quantise(const Settings& settings, float value, std::uint32_t lane, LaneResult& result,
              std::vector<MadeLevel>& made)
{
    const LaneEntry& entry = result.entry;
    const bool none = entry.levels == 0;
    const bool outside = none || value < number(entry.low) || value > number(entry.high);
    result.clamped = outside && entry.levels == settings.max_levels;
    if (outside && !result.clamped)
        make(settings, none ? value : std::min(value, number(entry.min)),
             none ? value : std::max(value, number(entry.max)), lane, result, made);
    const Level level = level_of(entry, 0);
    const unsigned code = code_of(value, level, settings.bits);
    result.stored = static_cast<std::int32_t>(code) != level.zero;
    result.code = static_cast<std::uint8_t>(code);
    result.label = static_cast<std::uint8_t>(entry.levels - 1);
}

} // namespace

GroupResult group_result(const Group& group)
{
    GroupResult results;
    for (std::uint32_t lane = 0; lane < group.values.size(); ++lane) {
        const float value = to_value(number(group.values[lane]));
        LaneResult& result = results.lanes.emplace_back();
        result.entry = group.entries[lane];
        result.survives = survives(value, group.settings.threshold);
        if (group.kind == GroupKind::Open && result.entry.ranged)
            make(group.settings, number(result.entry.min), number(result.entry.max), lane, result,
                 results.levels);
        if (group.kind == GroupKind::Range && result.survives)
            widen_range(value, result.entry);
        if (group.kind == GroupKind::Quantise && result.survives)
            quantise(group.settings, value, lane, result, results.levels);
    }
    return results;
}

LaneEntry entry_of(std::span<const Level> levels)
{
    if (levels.empty())
        return {};
    const Level& last = levels.back();
    return {static_cast<std::uint32_t>(levels.size()),
            false,
            bits_of(last.min),
            bits_of(last.max),
            bits_of(last.low),
            bits_of(last.high),
            bits_of(last.reciprocal),
            last.zero};
}

Level level_of(const LaneEntry& entry, std::uint32_t step)
{
    return {number(entry.min), number(entry.max),        number(entry.low), number(entry.high),
            number(step),      number(entry.reciprocal), entry.zero};
}

} // namespace levee::cpq
