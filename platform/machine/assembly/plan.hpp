// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/registry.hpp"
#include "ip/interleave/model.hpp"
#include "platform/input/config/scenario.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee {

/// A planned component.
struct PlannedComponent {
    std::string name;
    const ComponentType* type = nullptr;
    ComponentPlan plan;
    config::Place place;
    // Storage components:
    std::uint32_t roles = 0;
    std::uint64_t base = 0;      ///< address of its data, in the accelerators' map
    std::uint32_t core_base = 0; ///< address of the first core_size bytes in the core's map
    std::uint32_t core_size = 0;
    // Components with registers:
    std::uint32_t registers = 0; ///< Page of the registers; 0: none.
    std::uint32_t irq = 0;       ///< PLIC source; 0: none

    [[nodiscard]] const Declaration& declaration() const { return *type->declaration; }
    [[nodiscard]] bool stores() const { return type->declaration->stores; }
};

/// Interleaving of the memories with the role `model`, if there are several: one range of addresses
/// over all of them (ip/interleave/README.md), at the base of the first.
struct InterleavePlan {
    std::vector<std::size_t> memories; ///< Memories by way, as indices in SystemPlan::components.
    interleave::Division division;
};

/// Plan of a system not built yet: every component's configuration has been read and checked, every
/// address and interrupt assigned.
struct SystemPlan {
    config::SystemConfig config;
    /// Storage components, then all others, each in file order.
    std::vector<PlannedComponent> components;
    std::optional<InterleavePlan> interleave;

    /// Number of memories in the address range that begins with this one: 1 without interleaving.
    /// With interleaving, the first memory has the number of all, and the others have 0.
    [[nodiscard]] unsigned ways_at(std::size_t memory) const;

    /// Memory whose address range contains that of memory `memory`.
    [[nodiscard]] std::size_t range_of(const std::string& memory) const;

    /// The component with this role, or null.
    [[nodiscard]] const PlannedComponent* memory_for(std::uint32_t role) const;
};

constexpr std::uint32_t first_register_page = 0x1002'0000;
constexpr std::uint32_t register_page_bytes = 0x1'0000;

/// Interleaving of this system's memories, if any; they need not have addresses yet. Throws
/// config::Error for memories that cannot be interleaved.
[[nodiscard]] std::optional<InterleavePlan>
plan_interleave(const config::SystemConfig& config, const std::vector<PlannedComponent>& memories);

/// Throws config::Error.
[[nodiscard]] SystemPlan plan_system(const config::SystemConfig& config);
/// Plans a scenario's system and also checks its components against the rest of the scenario
/// (ComponentPlan::check). Throws config::Error.
[[nodiscard]] SystemPlan plan_system_of(const config::Scenario& scenario);

/// Parameters of the parts that every system has.
[[nodiscard]] std::vector<Parameter> core_parameters(const config::SystemConfig& system);
[[nodiscard]] std::vector<Parameter> bus_parameters(const config::SystemConfig& system);

/// Names of these bits, as in `roles:`.
[[nodiscard]] std::string role_names(std::uint32_t roles);

} // namespace levee
