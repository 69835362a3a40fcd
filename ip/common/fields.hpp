#pragma once

#include "ip/common/descriptor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace levee {

/// A member of a descriptor, by its byte offset in the struct it is a member of.
struct Field {
    std::size_t offset;
    const char* name;
    std::size_t element_bytes = 0; ///< of an array's elements; 0: no array
};

/// "n", "a_stride[2]": the member of a struct that the byte at `offset` belongs to. `fields` are in
/// order of offset and begin at 0.
[[nodiscard]] inline std::string field_at(std::span<const Field> fields, std::size_t offset)
{
    const Field* found = &fields.front();
    for (const Field& field : fields)
        if (field.offset <= offset)
            found = &field;
    std::string name = found->name;
    if (found->element_bytes != 0)
        name += "[" + std::to_string((offset - found->offset) / found->element_bytes) + "]";
    return name;
}

/// What is the same for all blocks.
inline constexpr Field head_fields[] = {
    {offsetof(levee_descriptor, magic), "magic"},
    {offsetof(levee_descriptor, opcode), "opcode"},
    {offsetof(levee_descriptor, flags), "flags"},
    {offsetof(levee_descriptor, tag), "tag"},
    {offsetof(levee_descriptor, wait_counter), "wait_counter", 1},
    {offsetof(levee_descriptor, wait_value), "wait_value", 4},
    {offsetof(levee_descriptor, signal_counter), "signal_counter", 1},
    {offsetof(levee_descriptor, reserved0), "reserved0"},
    {offsetof(levee_descriptor, signal_add), "signal_add", 2},
    {offsetof(levee_descriptor, signal_every), "signal_every", 4},
    {offsetof(levee_descriptor, reserved1), "reserved1"},
    {offsetof(levee_descriptor, indirect), "indirect", sizeof(levee_indirect)},
};

} // namespace levee
