// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "ip/riscv/core.hpp"
#include "platform/machine/assembly/plan.hpp"

#include <cstdint>
#include <vector>

namespace levee {

/// Keeps the core's data cache coherent. Before another master accesses bytes on the bus, the cache
/// writes back or invalidates its copy. This takes no simulated time.
class CacheSnoop : public bus::BusSnooper {
public:
    /// `own` is the core's index as an initiator of the bus. The core must outlive this object.
    CacheSnoop(const SystemPlan& plan, riscv::Core& core, int own);

    void passing(int initiator, const tlm::tlm_generic_payload& payload,
                 const BulkExtension* bulk) override;
    [[nodiscard]] bool may_pass_by(int initiator) const override { return initiator == own_; }

private:
    /// An address range at which masters access a cacheable memory.
    struct Window {
        std::uint64_t base;
        std::uint64_t bytes;
        std::uint32_t core_base;
    };

    void snoop(std::uint64_t address, std::uint64_t bytes, bool write);

    riscv::Core& core_;
    int own_;
    std::vector<Window> windows_;
};

} // namespace levee
