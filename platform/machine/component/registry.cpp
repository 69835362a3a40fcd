// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/component/registry.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee {

namespace {

/// Registrations run before main(), in an order that the linker determines.
std::vector<ComponentType>& registered()
{
    static std::vector<ComponentType> types;
    return types;
}

void check(const Declaration& declaration)
{
    const auto fail = [&](const std::string& what) {
        throw std::logic_error("the component type '" + std::string(declaration.type) + "' " +
                               what);
    };
    const bool has_queue = declaration.operation_bytes != 0;
    if (has_queue && declaration.number == 0)
        fail("declares an operation but no number; a queue has registers, and these a number");
    if (has_queue && (declaration.opcodes.empty() || declaration.fields.empty()))
        fail("declares an operation without opcodes or fields");
    std::size_t end = 0;
    for (const Field& field : declaration.fields) {
        if (field.offset < end)
            fail("declares the field '" + std::string(field.name) + "' out of order");
        end = field.offset + field.bytes * std::max<std::size_t>(field.count, 1);
    }
    if (end > declaration.operation_bytes)
        fail("declares fields that exceed its operation");
}

} // namespace

ComponentRegistration::ComponentRegistration(const Declaration& declaration,
                                             ComponentPlan (*read)(config::MapReader&,
                                                                   const ComponentDefaults&))
{
    registered().push_back({&declaration, read});
}

std::vector<ComponentType> checked_types(std::vector<ComponentType> types)
{
    std::sort(types.begin(), types.end(),
              [](const ComponentType& a, const ComponentType& b) { return a.name() < b.name(); });
    for (std::size_t i = 0; i < types.size(); ++i) {
        const Declaration& one = *types[i].declaration;
        check(one);
        for (std::size_t j = 0; j < i; ++j) {
            const Declaration& other = *types[j].declaration;
            if (types[j].name() == types[i].name())
                throw std::logic_error("two component types are called '" + types[i].name() + "'");
            if (one.number != 0 && one.number == other.number)
                throw std::logic_error("the component types '" + types[j].name() + "' and '" +
                                       types[i].name() + "' both declare the number " +
                                       std::to_string(one.number));
        }
    }
    return types;
}

const std::vector<ComponentType>& component_types()
{
    static const std::vector<ComponentType> types = checked_types(registered());
    return types;
}

} // namespace levee
