// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/component/plan.hpp"

#include <span>
#include <string>
#include <vector>

namespace levee {

/// A type of component, as a scenario names it.
struct ComponentType {
    const Declaration* declaration; ///< of static duration
    /// Reads the type's own keys; the caller finishes the reader.
    ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&);

    [[nodiscard]] std::string name() const { return declaration->type; }
};

/// Makes a type known to the program it is linked into. Each type has one object of this class, of
/// static duration, in a file of its own folder: that is all that adding a component takes
/// (docs/adding_a_component.md).
class ComponentRegistration {
public:
    ComponentRegistration(const Declaration& declaration,
                          ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&));
    ComponentRegistration(const ComponentRegistration&) = delete;
    ComponentRegistration& operator=(const ComponentRegistration&) = delete;
};

/// All types of this program, by name: the order of linking does not show. Throws std::logic_error
/// where two declare the same name or number.
[[nodiscard]] const std::vector<ComponentType>& component_types();

/// Sorted by name. Throws std::logic_error for two types with one name or number, naming both, and
/// for a declaration that contradicts itself.
[[nodiscard]] std::vector<ComponentType> checked_types(std::vector<ComponentType> types);

} // namespace levee
