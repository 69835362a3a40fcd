// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/scenario.hpp"
#include "platform/machine/component/registry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

/// A component worked out.
struct PlannedComponent {
    std::string name;
    const ComponentType* type = nullptr;
    ComponentPlan plan;
    config::Place place;
    // Of one that stores:
    std::uint32_t roles = 0;
    std::uint64_t base = 0;      ///< of its data, as accelerators address them
    std::uint32_t core_base = 0; ///< where the core sees their first core_size bytes
    std::uint32_t core_size = 0;
    // Of one with registers:
    std::uint32_t registers = 0; ///< their page; 0: it has none
    std::uint32_t irq = 0;       ///< PLIC source; 0: it has none

    [[nodiscard]] const Declaration& declaration() const { return *type->declaration; }
    [[nodiscard]] bool stores() const { return type->declaration->stores; }
};

/// A system worked out, but not built: every component's configuration read and checked, every
/// address and interrupt given.
struct SystemPlan {
    config::SystemConfig config;
    /// Those that store, then the others, each in file order.
    std::vector<PlannedComponent> components;

    /// The component with this role, or null.
    [[nodiscard]] const PlannedComponent* memory_for(std::uint32_t role) const;
};

constexpr std::uint32_t first_register_page = 0x1002'0000;
constexpr std::uint32_t register_page_bytes = 0x1'0000;

/// Throws config::Error.
[[nodiscard]] SystemPlan plan_system(const config::SystemConfig& config);

/// The words of `roles:` for these bits.
[[nodiscard]] std::string role_names(std::uint32_t roles);

} // namespace levee
