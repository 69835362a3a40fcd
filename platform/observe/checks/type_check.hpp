// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/operation_log.hpp"
#include "platform/observe/checks/type_shadow.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::checks {

/// Checks that operands are read with the element types with which operations have written them, or
/// that the model's image states. Values written by the core have no type.
class TypeCheck {
public:
    /// All arguments must outlive the simulation.
    TypeCheck(const Context& context, MemoryKeys& keys);

    /// An operation reads a tensor; addresses are keys. Returns the fault, if there is one.
    [[nodiscard]] std::optional<std::string> read(LoggedOperation& reader, std::uint32_t field,
                                                  const AccessPattern& pattern);
    void written(const LoggedOperation& writer, std::uint32_t field, const AccessPattern& pattern);
    /// The core or a debugger has written [key, key + bytes).
    void written(std::uint64_t key, std::uint64_t bytes) { shadow_.forget(key, key + bytes); }

private:
    void add_model(const Context& context);

    MemoryKeys& keys_;
    TypeShadow shadow_;
};

} // namespace levee::checks
