// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/system.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace levee {

namespace {

static_assert(sizeof(levee_boot_info) <= LEVEE_BOOT_INFO_BYTES, "fits its page");

/// Copies a name, which fits with its terminator: scenarios are checked for this when read.
void put_name(char (&field)[LEVEE_NAME_BYTES], const std::string& name)
{
    std::memcpy(field, name.data(), std::min<std::size_t>(name.size(), LEVEE_NAME_BYTES - 1));
}

/// `ways` is the number of equal memories in its range.
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

/// What levee_block_info says of a component that is another queue of its owner's machinery.
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

/// Of boot information: what the policy's parameters are a part of, so that programs that are older
/// than those of later policies still know its size.
std::uint32_t bytes_said(const KvPolicy& kv, const config::Scheduler& scheduler)
{
    if (is_composed(scheduler))
        return sizeof(levee_boot_info);
    if (kv.random.draw != LEVEE_KV_DRAW_VICTIM)
        return offsetof(levee_boot_info, parts);
    if (kv.codes.bits != 0)
        return offsetof(levee_boot_info, random);
    if (config::compresses(kv.cpq))
        return offsetof(levee_boot_info, codes);
    if (kv.retrieval.bits != 0)
        return offsetof(levee_boot_info, cpq);
    return config::kv_rule(kv.policy.kind).votes ? offsetof(levee_boot_info, retrieval)
                                                 : offsetof(levee_boot_info, voting);
}

} // namespace

levee_boot_info make_boot_info(const SystemPlan& plan, std::span<const std::uint64_t> free,
                               const levee_workload& workload, const KvPolicy& kv,
                               const config::Scheduler& scheduler)
{
    levee_boot_info info{};
    info.magic = LEVEE_BOOT_INFO_MAGIC;
    info.version = LEVEE_BOOT_INFO_VERSION;
    info.parts = scheduler.parts;
    info.bytes = bytes_said(kv, scheduler);
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
    info.kv = kv.policy;
    info.voting = kv.voting;
    info.retrieval = kv.retrieval;
    info.cpq = kv.cpq;
    info.codes = kv.codes;
    info.random = kv.random;
    put_name(info.scheduler, is_composed(scheduler) ? "parts" : scheduler.name);
    return info;
}

KvPolicy policy_of(const config::KvCacheConfig& config)
{
    return {config, config.voting, config.retrieval, config.cpq, config.codes, config.random};
}

levee_boot_info boot_info_ahead(const SystemPlan& plan, const config::Scenario& scenario)
{
    const std::vector<std::uint64_t> free(plan.components.size(), 0);
    return make_boot_info(plan, free, {}, policy_of(scenario.kv_cache),
                          scenario.workload ? scenario.workload->scheduler : config::Scheduler{});
}

} // namespace levee
