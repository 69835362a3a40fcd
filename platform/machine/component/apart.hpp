// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/declaration.hpp"

#include <cstdint>
#include <span>

namespace levee {

/// A result and an operand of a component's operations that must lie apart in memory: the component
/// reads the operand, or reads it again, after it has begun to write the result. The component does
/// not look; the platform tells the user (platform/observe/mistakes).
struct Apart {
    std::uint32_t result;  ///< descriptor field, operation_field()
    std::uint32_t operand; ///< the same
    /// Element by element in the operand's own place is allowed: both begin at the same address.
    bool in_place = false;
};

/// Declares a component's pairs, beside its ComponentRegistration; both arguments have static
/// duration.
class ApartRegistration {
public:
    ApartRegistration(const Declaration& declaration, std::span<const Apart> pairs);
    ApartRegistration(const ApartRegistration&) = delete;
    ApartRegistration& operator=(const ApartRegistration&) = delete;
};

/// The pairs that a component has declared; none if it has not.
[[nodiscard]] std::span<const Apart> apart_of(const Declaration& declaration);

} // namespace levee
