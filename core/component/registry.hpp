// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/component/plan.hpp"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace levee {

/// Intermediate results of a component type that several processes of Levee can exchange. This
/// saves host time and does not change results.
struct SharedResults {
    void (*share)() = nullptr;        ///< Starts to collect the results that this process computes.
    std::string (*added)() = nullptr; ///< Results that this process has computed.
    void (*take)(std::string_view bytes) = nullptr; ///< Takes results that added() returned in
                                                    ///< another process.
};

/// A type of component, as scenarios name it.
struct ComponentType {
    const Declaration* declaration; ///< Must have static duration.
    /// Reads the type's own keys. The caller then calls reader.finish().
    ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&);
    SharedResults shared{}; ///< Null functions: the type shares nothing.

    [[nodiscard]] std::string name() const { return declaration->type; }
};

/// Registers a type with the program that it is linked into. Each type has one static object of
/// this class in its own folder. A new component needs no other change (docs/plugins.md).
class ComponentRegistration {
public:
    ComponentRegistration(const Declaration& declaration,
                          ComponentPlan (*read)(config::MapReader&, const ComponentDefaults&),
                          const SharedResults& shared = {});
    ComponentRegistration(const ComponentRegistration&) = delete;
    ComponentRegistration& operator=(const ComponentRegistration&) = delete;
};

/// Returns all types of this program and of these libraries. A library is loaded at first use. The
/// list is sorted by name, so linking order has no effect, and it stays valid. Throws
/// std::logic_error if two types of the program have the same name or number. Throws config::Error
/// at a library's place if it is listed twice, cannot be loaded, registers no type, or conflicts
/// with another.
[[nodiscard]] const std::vector<ComponentType>&
component_types(std::span<const config::ComponentLibrary> libraries = {});

/// Returns the files of a library and of those dependencies that the program itself does not use.
/// If the library cannot be loaded, throws as component_types() does.
[[nodiscard]] const std::vector<std::filesystem::path>&
files_of(const config::ComponentLibrary& library);

/// Sorts types by name. Throws std::logic_error if two types have the same name or number (the
/// message names both), or if a declaration is inconsistent.
[[nodiscard]] std::vector<ComponentType> checked_types(std::vector<ComponentType> types);

} // namespace levee
