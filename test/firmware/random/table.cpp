// SPDX-License-Identifier: Apache-2.0
// Writes a C header for the program of random descriptors. It lists the operations and fields of
// every component that has a queue, taken from the component's declaration.
#include "core/component/registry.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <string_view>

namespace {

using levee::Declaration;
using levee::Field;

/// Strides and sizes together bound an operand's extent. Declarations identify strides by their
/// names.
bool is_stride(const Field& field)
{
    return std::string_view(field.name).ends_with("stride");
}

const char* kind_of(const Field& field)
{
    if (is_stride(field))
        return "RANDOM_STRIDE";
    switch (field.kind) {
    case Field::Kind::Address:
        return "RANDOM_ADDRESS";
    case Field::Kind::Port:
        return "RANDOM_PORT";
    case Field::Kind::Float:
        return "RANDOM_FLOAT";
    case Field::Kind::Struct:
        return "RANDOM_BYTES";
    case Field::Kind::Unsigned:
    case Field::Kind::Signed:
        break;
    }
    return "RANDOM_SIZE";
}

void write_fields(const Declaration& declaration)
{
    std::cout << "static const struct random_field random_fields_of_" << declaration.type
              << "[] = {\n";
    for (const Field& field : declaration.fields) {
        const bool is_struct = field.kind == Field::Kind::Struct;
        const std::size_t count = std::max<std::size_t>(field.count, 1);
        std::cout << "    {\"" << field.name << "\", " << field.offset << ", " << kind_of(field)
                  << ", " << (is_struct ? 1 : field.bytes) << ", "
                  << (is_struct ? count * field.bytes : count) << ", " << field.values.size()
                  << "},\n";
    }
    std::cout << "};\nstatic const uint8_t random_opcodes_of_" << declaration.type << "[] = {";
    for (const levee::Opcode& opcode : declaration.opcodes)
        std::cout << unsigned{opcode.value} << ", ";
    std::cout << "};\nstatic const char* const random_names_of_" << declaration.type << "[] = {";
    for (const levee::Opcode& opcode : declaration.opcodes)
        std::cout << '"' << opcode.name << "\", ";
    std::cout << "};\n";
}

void write_type(const Declaration& declaration)
{
    const char* type = declaration.type;
    std::cout << "    {" << declaration.number << ", \"" << type << "\", "
              << declaration.operation_bytes << ", " << declaration.opcodes.size() << ", "
              << declaration.fields.size() << ", random_opcodes_of_" << type << ", random_names_of_"
              << type << ", random_fields_of_" << type << "},\n";
}

} // namespace

int sc_main(int /*argc*/, char** /*argv*/)
{
    std::size_t opcodes = 0;
    std::size_t bytes = 0;
    std::vector<const Declaration*> with_queues;
    for (const levee::ComponentType& type : levee::component_types())
        if (type.declaration->operation_bytes != 0)
            with_queues.push_back(type.declaration);
    for (const Declaration* declaration : with_queues) {
        opcodes = std::max(opcodes, declaration->opcodes.size());
        bytes = std::max(bytes, declaration->operation_bytes);
    }
    std::cout << "/* Written by test/firmware/random/table.cpp. */\n#pragma once\n"
                 "#include \"test/firmware/random/types.h\"\n#define RANDOM_TYPES "
              << with_queues.size() << "u\n#define RANDOM_OPCODES " << opcodes
              << "u\n#define RANDOM_OPERATION_BYTES " << (bytes + 7) / 8 * 8
              << "u\nextern const struct random_type random_types[RANDOM_TYPES];\n"
                 "#ifdef RANDOM_TABLE /* one source has it */\n";
    for (const Declaration* declaration : with_queues)
        write_fields(*declaration);
    std::cout << "const struct random_type random_types[RANDOM_TYPES] = {\n";
    for (const Declaration* declaration : with_queues)
        write_type(*declaration);
    std::cout << "};\n#endif\n";
    return std::cout.flush().good() ? 0 : 1;
}
