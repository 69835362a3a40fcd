// SPDX-License-Identifier: Apache-2.0
#include "platform/run/byte_shares.hpp"

#include "core/units/stats.hpp"
#include "platform/observe/energy/amount.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <variant>

namespace levee {

namespace {

constexpr std::array<std::string_view, 3> moved{"read_bytes", "write_bytes", "channel_bytes"};

std::uint64_t moved_by(const Component& component)
{
    Stats stats;
    component.report(stats);
    std::uint64_t bytes = 0;
    for (const auto& [name, value] : stats.figures())
        if (std::ranges::find(moved, name) != moved.end())
            if (const auto* const count = std::get_if<std::uint64_t>(&value))
                bytes += *count;
    return bytes;
}

} // namespace

ByteShares::ByteShares(const SystemPlan& plan, System& system)
{
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        const PlannedComponent& component = plan.components[i];
        if (component.stores() && component.plan.placement.place == MemoryPlace::OffChip)
            memories_.push_back({component.name, &system.components()[i], {}});
    }
}

void ByteShares::spend(const std::vector<std::size_t>& owners, std::size_t parts)
{
    for (Memory& memory : memories_)
        memory.shares.spend(moved_by(*memory.component), owners, parts);
}

std::string ByteShares::columns() const
{
    std::string text;
    for (const Memory& memory : memories_)
        text += memory.name + "_bytes,";
    return text;
}

std::string ByteShares::cells(std::size_t owner) const
{
    std::string text;
    for (const Memory& memory : memories_)
        text += "," + energy::decimal(memory.shares.of(owner));
    return text;
}

std::string ByteShares::idle_cells() const
{
    std::string text;
    for (const Memory& memory : memories_)
        text += "," + energy::decimal(memory.shares.idle());
    return text;
}

} // namespace levee
