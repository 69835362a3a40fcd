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

struct PlannedComponent {
    std::string name;
    const ComponentType* type = nullptr;
    ComponentPlan plan;
    config::Place place;
    // For components with storage:
    std::uint32_t roles = 0;
    std::uint64_t base = 0;      ///< address of its data, as the accelerators see it
    std::uint32_t core_base = 0; ///< address of its first core_size bytes, as the core sees it
    std::uint32_t core_size = 0;
    // For components with registers:
    std::uint32_t registers = 0; ///< address of its register page; 0: none
    std::uint32_t irq = 0;       ///< source number at the PLIC; 0: none

    [[nodiscard]] const Declaration& declaration() const { return *type->declaration; }
    [[nodiscard]] bool stores() const { return type->declaration->stores; }
};

/// Several memories with the role `model` are interleaved: they share one range of addresses
/// (ip/interleave/README.md), which begins at the first one's base.
struct InterleavePlan {
    std::vector<std::size_t> memories; ///< indices in SystemPlan::components, one per way
    interleave::Division division;
};

/// The plan of a system that is not yet built. All components' configurations have been read and
/// checked, and all addresses and interrupts have been assigned.
struct SystemPlan {
    config::SystemConfig config;
    /// First the components with storage, then all others, each group in the order of the scenario.
    std::vector<PlannedComponent> components;
    std::optional<InterleavePlan> interleave;

    /// Returns the number of memories in the address range that begins with this memory: 1 without
    /// interleaving. Of interleaved memories, returns their number for the first, and 0 for the
    /// others.
    [[nodiscard]] unsigned ways_at(std::size_t memory) const;

    [[nodiscard]] std::size_t range_of(const std::string& memory) const;

    /// Returns the memory with this role, or null.
    [[nodiscard]] const PlannedComponent* memory_for(std::uint32_t role) const;
};

constexpr std::uint32_t first_register_page = 0x1002'0000;
constexpr std::uint32_t register_page_bytes = 0x1'0000;

/// Returns how this system's memories are interleaved; nothing if they are not. Addresses need not
/// be assigned yet. Throws config::Error for memories that cannot be interleaved.
[[nodiscard]] std::optional<InterleavePlan>
plan_interleave(const config::SystemConfig& config, const std::vector<PlannedComponent>& memories);

/// Throws config::Error.
[[nodiscard]] SystemPlan plan_system(const config::SystemConfig& config);
/// Plans a scenario's system. Also checks each component against the scenario's other parts
/// (ComponentPlan::check). Throws config::Error.
[[nodiscard]] SystemPlan plan_system_of(const config::Scenario& scenario);

/// Parameters of the core and of the bus, which every system has.
[[nodiscard]] std::vector<Parameter> core_parameters(const config::SystemConfig& system);
[[nodiscard]] std::vector<Parameter> bus_parameters(const config::SystemConfig& system);

/// Returns the names of the roles in the mask `roles`, as the scenario's `roles:` spells them.
[[nodiscard]] std::string role_names(std::uint32_t roles);

} // namespace levee
