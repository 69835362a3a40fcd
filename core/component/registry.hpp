// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/plan.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Intermediate results of a type that processes of one program hand to each other. They save
/// time, and no result of a run depends on them.
struct SharedResults {
    void (*share)() = nullptr;        ///< from now on keeps the results that this process computes
    std::string (*added)() = nullptr; ///< the prices that this process has computed
    void (*take)(std::string_view bytes) = nullptr; ///< Takes the bytes that added() returned in
                                                    ///< another process.
};

/// A type of component, as scenarios name it.
struct ComponentType {
    const Declaration* declaration; ///< must have static duration
    /// Reads the type's own keys; the caller finishes the reader.
    ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&);
    SharedResults shared{}; ///< functions are null: it shares nothing

    [[nodiscard]] std::string name() const { return declaration->type; }
};

/// Registers a type with the program into which it is linked. Each type has one static object of
/// this class, in a file of its own folder; adding a component needs no other change
/// (docs/plugins.md).
class ComponentRegistration {
public:
    ComponentRegistration(const Declaration& declaration,
                          ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&),
                          const SharedResults& shared = {});
    ComponentRegistration(const ComponentRegistration&) = delete;
    ComponentRegistration& operator=(const ComponentRegistration&) = delete;
};

/// All types of this program and of these libraries, which are loaded on first use. The list is
/// sorted by name, so linking order has no effect, and it stays valid. Throws std::logic_error if
/// two types of the program declare the same name or number. Throws config::Error at a library's
/// place if it is listed twice, cannot be loaded, registers no type, or conflicts with another.
[[nodiscard]] const std::vector<ComponentType>&
component_types(std::span<const config::ComponentLibrary> libraries = {});

/// Files of a library and of its dependencies that the program does not use. Throws like
/// component_types() if it cannot be loaded.
[[nodiscard]] const std::vector<std::filesystem::path>&
files_of(const config::ComponentLibrary& library);

/// Sorts types by name. Throws std::logic_error for two types with the same name or number, naming
/// both, and for an inconsistent declaration.
[[nodiscard]] std::vector<ComponentType> checked_types(std::vector<ComponentType> types);

} // namespace levee
