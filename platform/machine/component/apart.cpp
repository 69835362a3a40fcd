// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/component/apart.hpp"

#include <map>

namespace levee {

namespace {

/// Registrations run before main(), in an order that the linker determines.
std::map<const Declaration*, std::span<const Apart>>& registered()
{
    static std::map<const Declaration*, std::span<const Apart>> pairs;
    return pairs;
}

} // namespace

ApartRegistration::ApartRegistration(const Declaration& declaration, std::span<const Apart> pairs)
{
    registered()[&declaration] = pairs;
}

std::span<const Apart> apart_of(const Declaration& declaration)
{
    const auto found = registered().find(&declaration);
    return found != registered().end() ? found->second : std::span<const Apart>{};
}

} // namespace levee
