// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/operation_log.hpp"
#include "platform/observe/checks/type_shadow.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::checks {

/// Checks that operands are read with the element type with which they were written by an operation
/// or in the model's image. Values that the core has written have no type.
class TypeCheck {
public:
    /// All arguments must outlive the simulation.
    TypeCheck(const Context& context, MemoryKeys& keys);

    /// Handles an operation's read of a tensor. Returns a description of the error if there is one.
    /// Addresses in patterns are keys (MemoryKeys).
    [[nodiscard]] std::optional<std::string> read(LoggedOperation& reader, std::uint32_t field,
                                                  const AccessPattern& pattern);
    void written(const LoggedOperation& writer, std::uint32_t field, const AccessPattern& pattern);
    void written(std::uint64_t key, std::uint64_t bytes) { shadow_.forget(key, key + bytes); }

private:
    void add_model(const Context& context);

    MemoryKeys& keys_;
    TypeShadow shadow_;
};

} // namespace levee::checks
