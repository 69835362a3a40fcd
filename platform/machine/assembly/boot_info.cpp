// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/system.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace levee {

namespace {

static_assert(sizeof(levee_boot_info) <= LEVEE_BOOT_INFO_BYTES, "fits its page");

/// Copies a name and its terminating zero. The scenario's reader has checked that the name
/// fits.
void put_name(char (&field)[LEVEE_NAME_BYTES], const std::string& name)
{
    std::memcpy(field, name.data(), std::min<std::size_t>(name.size(), LEVEE_NAME_BYTES - 1));
}

/// `ways` is the number of interleaved memories that share this memory's address range; 1 without
/// interleaving.
levee_memory_info memory_info(const PlannedComponent& memory, unsigned ways, std::uint64_t free)
{
    const Placement& placement = memory.plan.placement;
    levee_memory_info info{memory.base,
                           ways * placement.size_bytes,
                           memory.base + free,
                           ways * placement.bytes_per_second,
                           memory.core_base,
                           memory.core_size,
                           memory.roles,
                           0,
                           {}};
    put_name(info.name, memory.name);
    return info;
}

std::size_t page_of(const PlannedComponent& component)
{
    return (component.registers - first_register_page) / register_page_bytes;
}

/// Returns the value of levee_block_info.shares. For a queue that the hardware of the block `owner`
/// executes, it is 1 + that block's index. Without an owner, it is 0.
std::uint32_t shares_of(const SystemPlan& plan, const std::string& owner)
{
    for (const PlannedComponent& component : plan.components)
        if (!owner.empty() && component.name == owner)
            return static_cast<std::uint32_t>(1 + page_of(component));
    return 0;
}

bool is_composed(const config::Scheduler& scheduler)
{
    return scheduler.parts.names[0][0] != 0;
}

/// Returns the value of info.bytes: the end of the last version's fields that are not all zero.
/// Older programs, which know only the earlier fields, then still accept the information.
std::uint32_t bytes_said(const levee_boot_info& info)
{
    constexpr std::array<std::uint32_t, 9> ends{offsetof(levee_boot_info, voting),
                                                offsetof(levee_boot_info, retrieval),
                                                offsetof(levee_boot_info, cpq),
                                                offsetof(levee_boot_info, codes),
                                                offsetof(levee_boot_info, random),
                                                offsetof(levee_boot_info, parts),
                                                offsetof(levee_boot_info, stops),
                                                offsetof(levee_boot_info, rotation),
                                                sizeof(levee_boot_info)};
    const std::span bytes = std::as_bytes(std::span(&info, 1));
    std::size_t said = bytes.size();
    while (said > ends.front() && bytes[said - 1] == std::byte{})
        --said;
    return *std::ranges::lower_bound(ends, said);
}

} // namespace

levee_boot_info make_boot_info(const SystemPlan& plan, std::span<const std::uint64_t> free,
                               const levee_workload& workload, const levee_boot_info& kv_cache,
                               const config::Scheduler& scheduler)
{
    levee_boot_info info = kv_cache;
    info.magic = LEVEE_BOOT_INFO_MAGIC;
    info.version = LEVEE_BOOT_INFO_VERSION;
    info.parts = scheduler.parts;
    info.core_hz = static_cast<std::uint32_t>(plan.config.core.clock_hz);
    info.timebase_hz = static_cast<std::uint32_t>(plan.config.timebase_hz);
    info.stream_ports = static_cast<std::uint32_t>(plan.config.streams.size());
    for (std::size_t i = 0; i < plan.components.size(); ++i) {
        const PlannedComponent& component = plan.components[i];
        if (const unsigned ways = plan.ways_at(i); component.stores() && ways != 0)
            info.memories[info.memory_count++] = memory_info(component, ways, free[i]);
        if (component.registers != 0) {
            levee_block_info& block = info.blocks[page_of(component)];
            block = {component.declaration().number,
                     component.registers,
                     component.irq,
                     shares_of(plan, component.plan.shares),
                     {}};
            put_name(block.name, component.name);
            ++info.block_count;
        }
    }
    info.workload = workload;
    put_name(info.scheduler, is_composed(scheduler) ? "parts" : scheduler.name);
    info.bytes = bytes_said(info);
    return info;
}

void set_stops(std::span<const std::uint32_t> tokens, levee_boot_info& info)
{
    info.stops.count =
        static_cast<std::uint32_t>(std::min<std::size_t>(tokens.size(), LEVEE_MAX_STOPS));
    std::copy_n(tokens.begin(), info.stops.count, info.stops.tokens);
    info.bytes = bytes_said(info);
}

levee_boot_info boot_info_ahead(const SystemPlan& plan, const config::Scenario& scenario)
{
    const std::vector<std::uint64_t> free(plan.components.size(), 0);
    return make_boot_info(plan, free, {}, scenario.kv_cache.boot,
                          scenario.workload ? scenario.workload->scheduler : config::Scheduler{});
}

} // namespace levee
