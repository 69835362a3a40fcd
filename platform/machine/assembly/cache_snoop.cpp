// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/assembly/cache_snoop.hpp"

#include <algorithm>

namespace levee {

CacheSnoop::CacheSnoop(const SystemPlan& plan, riscv::Core& core, int own) : core_(core), own_(own)
{
    for (const PlannedComponent& memory : plan.components) {
        if (memory.core_size == 0 || !memory.plan.placement.cacheable)
            continue;
        windows_.push_back({memory.core_base, memory.core_size, memory.core_base});
        if (memory.base != memory.core_base)
            windows_.push_back({memory.base, memory.core_size, memory.core_base});
    }
}

void CacheSnoop::passing(int initiator, const tlm::tlm_generic_payload& payload,
                         const BulkExtension* bulk)
{
    if (initiator == own_ || payload.get_command() == tlm::TLM_IGNORE_COMMAND)
        return;
    const bool write = payload.is_write();
    if (bulk == nullptr)
        return snoop(payload.get_address(), payload.get_data_length(), write);
    if (bulk->phase != BulkExtension::Phase::Data)
        return;
    const AccessPattern pattern = bulk->pattern.merged();
    pattern.for_each_run([&](std::uint64_t address) { snoop(address, pattern.run_bytes, write); });
}

void CacheSnoop::snoop(std::uint64_t address, std::uint64_t bytes, bool write)
{
    for (const Window& window : windows_) {
        const std::uint64_t first = std::max(address, window.base);
        const std::uint64_t end = std::min(address + bytes, window.base + window.bytes);
        if (first < end)
            core_.snoop(window.core_base + static_cast<std::uint32_t>(first - window.base),
                        end - first, write);
    }
}

} // namespace levee
