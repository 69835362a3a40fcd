// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/fields.hpp"
#include "core/config/keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee {

/// An operation that a component's queue executes.
struct Opcode {
    std::uint8_t value; ///< descriptor.opcode
    const char* name;   ///< Name as in regs.h, such as "GEMM".
};

/// An energy event of a component, with the name that price lists use.
struct EnergyEvent {
    enum class Unit { Each, Byte, Picosecond };

    const char* name;
    Unit unit = Unit::Each;
    std::uint32_t row_bytes = 0; ///< Nonzero: a price may be `per: row`, and a row has this many
                                 ///< bytes.
    bool is_mac = false;         ///< A multiply-accumulate, which counts for rooflines.
    /// A command of a memory. Price lists may have a price for it instead of one for bytes read and
    /// written.
    bool by_command = false;
};

/// A result and an operand that must not overlap in memory, because the component may still read
/// the operand while it writes the result. The component does not check this; the platform warns
/// the user (platform/observe/checks).
struct Apart {
    std::size_t result;  ///< Offset of the member in the operation.
    std::size_t operand; ///< Offset of the other member.
    /// The operand may be overwritten in place, element by element, if both have the same address.
    bool in_place = false;
};

/// Describes two members of an operation as an Apart.
#define LEVEE_APART(type, result, operand, ...)                                                    \
    ::levee::Apart                                                                                 \
    {                                                                                              \
        offsetof(type, result), offsetof(type, operand) __VA_OPT__(, ) __VA_ARGS__                 \
    }

/// Element type of a tensor in memory. The platform checks that an operand is read as the type that
/// was written (platform/observe/checks).
struct TensorType {
    static constexpr std::size_t none = SIZE_MAX;

    std::size_t tensor;                      ///< Offset of the tensor's address in the operation.
    std::size_t type = none;                 ///< Offset of the enum levee_type.
    levee_type by_default = LEVEE_TYPE_NONE; ///< Type if there is no such field, or if it is NONE.
    /// Offset of the address of another tensor, if this tensor is a copy of it.
    std::size_t like = none;
};

/// Rows of a tensor that must not overlap. A stride that is shorter than a row is an error in the
/// program, and the platform warns.
struct TensorRows {
    std::size_t tensor; ///< Offset of the tensor's address in the operation.
    std::size_t stride; ///< Offset of the rows' stride, in bytes.
    std::array<std::size_t, 2>
        counts;           ///< Offsets of two counts. There are several rows if both exceed 1.
    bool repeats = false; ///< A stride of 0 is permitted, which reads the same row again.
};

/// Declaration of a type of component, as data in its own folder
/// (`ip/<component>/declaration.hpp`). Error messages, traces, --check, price lists, the debugger's
/// monitor and `describe` use it, so none of them mentions a component by name.
struct Declaration {
    const char* type;         ///< Type name in scenarios: `type: rsa`.
    std::uint32_t number = 0; ///< Number in boot_info and in the ID register; 0: no registers.
    bool interrupts = false;  ///< The component drives an interrupt of the PLIC.
    bool stores = false;      ///< Stores data and is listed under `memories`.
    /// Size of the operation in its descriptors (core/abi/descriptor.h), in bytes; 0: no queue.
    std::size_t operation_bytes = 0;
    std::span<const Opcode> opcodes{};
    std::span<const Field> fields{};     ///< Members of its operation by offset, from 0.
    std::span<const Apart> apart{};      ///< Results and operands that must not overlap.
    std::span<const TensorType> types{}; ///< Element types of tensors in memory. Tensors that are
                                         ///< not listed may have any type.
    std::span<const TensorRows> rows{};
    std::span<const EnergyEvent> events{};
    /// Keys in a scenario, in addition to those of every component (core/component/keys.hpp). If
    /// this is empty, the component's own reader checks the keys, and only its error messages list
    /// them.
    std::span<const config::Key> parameters{};
    /// Parameters that are computed from keys and are not keys themselves. `describe` displays
    /// them, and price lists may name them.
    std::span<const char* const> derived{};
    /// Key in price lists of datasheets, which the component converts into prices of its commands
    /// (ComponentPlan::price_commands); null: none.
    const config::Key* datasheet = nullptr;
};

/// Names of the parameters that a component of this type may display, each once. If the type
/// declares none, returns nothing, and its components may display any.
[[nodiscard]] inline std::vector<const char*> parameter_names(const Declaration& type)
{
    std::vector<const char*> names;
    for (const config::Key& key : type.parameters)
        names.push_back(key.name);
    names.insert(names.end(), type.derived.begin(), type.derived.end());
    return names;
}

/// Events for data movement into and out of any component that stores data.
inline constexpr EnergyEvent read_event{"read", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent write_event{"write", EnergyEvent::Unit::Byte};

/// Event of the command queues, which energy accounts and price lists treat as one component type.
inline constexpr EnergyEvent descriptor_event{"descriptor"}; ///< A descriptor was executed.
inline constexpr EnergyEvent command_events[] = {descriptor_event};
inline constexpr Declaration commands_declaration{.type = "commands", .events = command_events};

} // namespace levee
