// SPDX-License-Identifier: Apache-2.0
#include "ip/cpq/rtl.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace levee::cpq {

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlEngine::~RtlEngine() = default;

/// Returns the group of channels from `first` on. Lanes after the last channel get the value 0.
Group RtlEngine::group_of(const Table& table, GroupKind kind, std::size_t first,
                          std::span<const float> row) const
{
    Group group{kind, std::vector<std::uint32_t>(size()), std::vector<LaneEntry>(size()),
                table.settings()};
    for (std::size_t lane = 0; lane < size() && first + lane < table.channels(); ++lane) {
        if (!row.empty())
            group.values[lane] = std::bit_cast<std::uint32_t>(row[first + lane]);
        group.entries[lane] = entry_of(table.levels(first + lane));
    }
    return group;
}

GroupResult RtlEngine::run(Group group)
{
    group.openings = static_cast<std::uint32_t>(group_result(group).levels.size());
    const auto work = std::make_shared<const std::vector<Group>>(1, std::move(group));
    GroupResult result = std::move(perform(work).front());
    check_cycles("cycles of a group", cycles_of(work->front().kind, work->front().openings),
                 result.cycles);
    return result;
}

void RtlEngine::add_levels(Table& table, std::size_t first, const GroupResult& result)
{
    for (const MadeLevel& made : result.levels)
        table.add_level(first + made.lane, level_of(result.lanes[made.lane].entry, made.step));
}

void RtlEngine::open(Table& table, std::span<const float> rows)
{
    const std::size_t channels = table.channels();
    table.forget();
    for (std::size_t first = 0; first < channels; first += size()) {
        Group group = group_of(table, GroupKind::Range, first, {});
        for (std::size_t row = 0; row < rows.size() / channels; ++row) {
            Group next =
                group_of(table, GroupKind::Range, first, rows.subspan(row * channels, channels));
            next.entries = group.entries;
            const GroupResult result = run(std::move(next));
            for (std::size_t lane = 0; lane < size(); ++lane)
                group.entries[lane] = result.lanes[lane].entry;
        }
        group.kind = GroupKind::Open;
        if (!rows.empty())
            add_levels(table, first, run(std::move(group)));
    }
}

Row RtlEngine::quantise(Table& table, std::span<const float> row, Counts& counts)
{
    Row packed;
    for (std::size_t first = 0; first < table.channels(); first += size()) {
        const GroupResult result = run(group_of(table, GroupKind::Quantise, first, row));
        add_levels(table, first, result);
        for (std::size_t lane = 0; lane < size(); ++lane) {
            const LaneResult& got = result.lanes[lane];
            counts += {got.survives, got.stored, got.opened, got.clamped};
            if (got.stored)
                packed.elements.push_back(
                    {static_cast<std::uint32_t>(first + lane), got.code, got.label});
        }
    }
    packed.label_bits = label_bits(table.levels_in_use());
    return packed;
}

} // namespace levee::cpq
