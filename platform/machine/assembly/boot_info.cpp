// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/system.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

static_assert(sizeof(levee_boot_info) <= LEVEE_BOOT_INFO_BYTES, "fits its page");

/// Names are checked when a scenario is read: they fit with their zero.
void put_name(char (&field)[LEVEE_NAME_BYTES], const std::string& name)
{
    std::memcpy(field, name.data(), std::min<std::size_t>(name.size(), LEVEE_NAME_BYTES - 1));
}

} // namespace

levee_boot_info make_boot_info(const SystemPlan& plan, std::span<const std::uint64_t> free,
                               const levee_workload& workload, const levee_kv_policy& kv,
                               const std::string& scheduler)
{
    levee_boot_info info{};
    info.magic = LEVEE_BOOT_INFO_MAGIC;
    info.version = LEVEE_BOOT_INFO_VERSION;
    info.bytes = sizeof info;
    info.core_hz = static_cast<std::uint32_t>(plan.config.core.clock_hz);
    info.timebase_hz = static_cast<std::uint32_t>(plan.config.timebase_hz);
    info.block_count = static_cast<std::uint32_t>(plan.blocks.size());
    for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
        const PlannedBlock& block = plan.blocks[i];
        info.blocks[i] = {block.type->id, block.base, block.irq, 0, {}};
        put_name(info.blocks[i].name, block.name);
    }
    for (std::size_t i = 0; i < plan.memories.size(); ++i) {
        const PlannedMemory& memory = plan.memories[i];
        const unsigned ways = plan.ways_at(i);
        if (ways == 0)
            continue;
        levee_memory_info& range = info.memories[info.memory_count++];
        range = {memory.base,
                 ways * memory.plan.size_bytes,
                 memory.base + free[i],
                 ways * memory.plan.bytes_per_second,
                 memory.core_base,
                 memory.core_size,
                 memory.roles,
                 0,
                 {}};
        put_name(range.name, memory.name);
        if (memory.registers == 0)
            continue;
        levee_block_info& block = info.blocks[info.block_count++];
        block = {memory.plan.controller, memory.registers, 0, 0, {}};
        put_name(block.name, memory.name);
    }
    info.workload = workload;
    info.kv = kv;
    put_name(info.scheduler, scheduler);
    return info;
}

} // namespace levee
