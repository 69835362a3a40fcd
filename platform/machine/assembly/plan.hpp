// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/stripe/model.hpp"
#include "platform/input/config/scenario.hpp"
#include "platform/machine/component/registry.hpp"

#include <cstdint>
#include <optional>
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

/// Memories with the role `model`, if there are several: one range of addresses over all of them
/// (ip/stripe/README.md), at the base of the first.
struct StripePlan {
    std::vector<std::size_t> memories; ///< by way; indices in SystemPlan::components
    stripe::Division division;
};

/// A system worked out, but not built: every component's configuration read and checked, every
/// address and interrupt given.
struct SystemPlan {
    config::SystemConfig config;
    /// Those that store, then the others, each in file order.
    std::vector<PlannedComponent> components;
    std::optional<StripePlan> stripe;

    /// How many memories share the range of addresses that begins with this one: 1 unless it is
    /// striped; then the first has them all and the others, which lie in its range, 0.
    [[nodiscard]] unsigned ways_at(std::size_t memory) const;

    /// The component with this role, or null.
    [[nodiscard]] const PlannedComponent* memory_for(std::uint32_t role) const;
};

constexpr std::uint32_t first_register_page = 0x1002'0000;
constexpr std::uint32_t register_page_bytes = 0x1'0000;

/// How the memories of this system are striped, if they are; they need not have addresses yet.
/// Throws config::Error for ones that cannot be.
[[nodiscard]] std::optional<StripePlan> plan_stripe(const config::SystemConfig& config,
                                                    const std::vector<PlannedComponent>& memories);

/// Throws config::Error.
[[nodiscard]] SystemPlan plan_system(const config::SystemConfig& config);

/// The words of `roles:` for these bits.
[[nodiscard]] std::string role_names(std::uint32_t roles);

} // namespace levee
