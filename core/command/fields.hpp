// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/descriptor.h"
#include "core/numerics/element_names.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace levee {

/// Field of a descriptor or of a component's own operation.
struct Field {
    enum class Kind {
        Unsigned,
        Signed,
        Float,
        Address,
        Port, ///< 1 + the number of a stream port; 0: none.
        Struct
    };

    std::size_t offset; ///< Offset in the struct that contains the field.
    const char* name;
    Kind kind;
    std::size_t bytes; ///< Size of an element.
    std::size_t count; ///< Number of elements of an array; 0: not an array.
    /// Names of an enumeration's values, from 0.
    std::span<const char* const> values{};

    /// Kind of a field, by its C type. An unsigned 64-bit field is always an address.
    template <typename Element> static constexpr Kind kind_of()
    {
        if constexpr (std::is_same_v<Element, std::uint64_t>)
            return Kind::Address;
        else if constexpr (std::is_floating_point_v<Element>)
            return Kind::Float;
        else if constexpr (std::is_integral_v<Element>)
            return std::is_signed_v<Element> ? Kind::Signed : Kind::Unsigned;
        else
            return Kind::Struct;
    }
    template <typename Member>
    static constexpr Field of(std::size_t offset, const char* name,
                              std::span<const char* const> values = {})
    {
        using Element = std::remove_extent_t<Member>;
        return {offset, name, kind_of<Element>(), sizeof(Element), std::extent_v<Member>, values};
    }
};

/// Describes a member of a struct as a Field, with its name, type and offset.
#define LEVEE_FIELD(type, member)                                                                  \
    ::levee::Field::of<decltype(type::member)>(offsetof(type, member), #member)

/// Describes a member that is an enum levee_type.
#define LEVEE_TYPE_FIELD(type, member)                                                             \
    ::levee::Field::of<decltype(type::member)>(offsetof(type, member), #member,                    \
                                               ::levee::element_type_names)

/// Describes a member that is 1 + the number of a stream port, or 0.
#define LEVEE_PORT_FIELD(type, member)                                                             \
    ::levee::Field                                                                                 \
    {                                                                                              \
        offsetof(type, member), #member, ::levee::Field::Kind::Port, sizeof(type::member), 0       \
    }

/// Name of the member that contains the byte at `offset`, for example "n" or "a_stride[2]".
/// `fields` must be sorted by offset and begin at 0.
[[nodiscard]] inline std::string field_at(std::span<const Field> fields, std::size_t offset)
{
    const Field* found = &fields.front();
    for (const Field& field : fields)
        if (field.offset <= offset)
            found = &field;
    std::string name = found->name;
    if (found->count != 0)
        name += "[" + std::to_string((offset - found->offset) / found->bytes) + "]";
    return name;
}

/// Fields of the descriptor's head, which all components have in common.
inline constexpr Field head_fields[] = {
    LEVEE_FIELD(levee_descriptor, magic),
    LEVEE_FIELD(levee_descriptor, opcode),
    LEVEE_FIELD(levee_descriptor, flags),
    LEVEE_FIELD(levee_descriptor, tag),
    LEVEE_FIELD(levee_descriptor, wait_counter),
    LEVEE_FIELD(levee_descriptor, wait_value),
    LEVEE_FIELD(levee_descriptor, signal_counter),
    LEVEE_FIELD(levee_descriptor, version),
    LEVEE_FIELD(levee_descriptor, reserved0),
    LEVEE_FIELD(levee_descriptor, signal_add),
    LEVEE_FIELD(levee_descriptor, signal_every),
    LEVEE_FIELD(levee_descriptor, continuation_bytes),
    LEVEE_FIELD(levee_descriptor, indirect),
};

} // namespace levee
