// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/machine/memories/memory.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

struct PlannedMemory {
    std::string name;
    std::string type;
    MemoryPlan plan;
    std::uint32_t roles = 0;
    std::uint64_t base = 0;      ///< as accelerators address it
    std::uint32_t core_base = 0; ///< where the core sees its first core_size bytes
    std::uint32_t core_size = 0;
    std::uint32_t registers = 0; ///< page of its controller; 0: it has none
    config::Place place;
};

struct PlannedBlock {
    std::string name;
    const BlockType* type = nullptr;
    BlockPlan plan;
    std::uint32_t base = 0; ///< of its register page
    std::uint32_t irq = 0;  ///< PLIC source
};

/// A system worked out, but not built: every component's configuration read and checked, every
/// address and interrupt given.
struct SystemPlan {
    config::SystemConfig config;
    std::vector<PlannedMemory> memories; ///< in file order
    std::vector<PlannedBlock> blocks;    ///< in file order

    /// The memory with this role, or null.
    [[nodiscard]] const PlannedMemory* memory_for(std::uint32_t role) const;
};

constexpr std::uint32_t first_register_page = 0x1002'0000;
constexpr std::uint32_t register_page_bytes = 0x1'0000;

/// Throws config::Error.
[[nodiscard]] SystemPlan plan_system(const config::SystemConfig& config);

/// The words of `roles:` for these bits.
[[nodiscard]] std::string role_names(std::uint32_t roles);

} // namespace levee
