// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/fields.hpp"
#include "core/config/keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace levee {

/// An operation that a component's queue executes.
struct Opcode {
    std::uint8_t value; ///< descriptor.opcode
    const char* name;   ///< Name as in regs.h: "GEMM".
};

/// An energy event of a component, as price lists name it.
struct EnergyEvent {
    enum class Unit { Each, Byte, Picosecond };

    const char* name;
    Unit unit = Unit::Each;      ///< the counted unit
    std::uint32_t row_bytes = 0; ///< Nonzero: a price may be `per: row`, and a row has this many
                                 ///< bytes.
    bool is_mac = false;         ///< a multiply-accumulate, which rooflines count
    /// A memory's command: price lists may charge for it instead of for bytes read and written.
    bool by_command = false;
};

/// A result and an operand of a component's operations that must not overlap in memory: the
/// component reads the operand, perhaps again, after it has begun to write the result. The
/// component does not check this; the platform warns the user (platform/observe/checks).
struct Apart {
    std::size_t result;  ///< offset of the member in the operation
    std::size_t operand; ///< the same
    /// The operand's own place is permitted element by element: both begin at the same address.
    bool in_place = false;
};

/// Describes two members of an operation as an Apart.
#define LEVEE_APART(type, result, operand, ...)                                                    \
    ::levee::Apart                                                                                 \
    {                                                                                              \
        offsetof(type, result), offsetof(type, operand) __VA_OPT__(, ) __VA_ARGS__                 \
    }

/// Element type of a tensor in memory, for the platform's check that an operand is read as the type
/// that was written (platform/observe/checks).
struct TensorType {
    static constexpr std::size_t none = SIZE_MAX;

    std::size_t tensor;                      ///< offset of its address in the operation
    std::size_t type = none;                 ///< offset of the enum levee_type
    levee_type by_default = LEVEE_TYPE_NONE; ///< Type without that field, or if it is NONE.
    /// Offset of the address of another tensor, of which this one is a copy.
    std::size_t like = none;
};

/// Rows of a tensor that must not overlap each other, for another check of the platform: a stride
/// shorter than a row is a mistake of the program.
struct TensorRows {
    std::size_t tensor; ///< offset of its address in the operation
    std::size_t stride; ///< offset of the rows' stride, in bytes
    std::array<std::size_t, 2>
        counts;           ///< offsets of members: there are several rows if both are > 1
    bool repeats = false; ///< A stride of 0 is permitted: the same row is read again.
};

/// Declaration of a type of component, made once, as data in its own folder
/// (`ip/<component>/declaration.hpp`). Error messages, traces, --check, price lists, the debugger's
/// monitor and `describe` read it; none of them knows a component by name.
struct Declaration {
    const char* type;         ///< Type name in scenarios: `type: rsa`.
    std::uint32_t number = 0; ///< Number in boot_info and in the ID register; 0: the component has
                              ///< no registers.
    bool interrupts = false;  ///< it drives a source of the PLIC
    bool stores = false;      ///< contains data, and is listed under `memories`
    /// Size of the operation in its descriptors (core/abi/descriptor.h), in bytes; 0: it has no
    /// queue.
    std::size_t operation_bytes = 0;
    std::span<const Opcode> opcodes{};
    std::span<const Field> fields{}; ///< members of its operation, in order of offset, from 0
    std::span<const Apart> apart{};  ///< results and operands that must not overlap
    std::span<const TensorType>
        types{}; ///< element types of tensors in memory; others may be anything
    std::span<const TensorRows> rows{};
    std::span<const EnergyEvent> events{};
    /// Keys in a scenario, in addition to those of every component (core/component/keys.hpp).
    /// Empty: the component's reader checks its own keys, and only error messages list them.
    std::span<const config::Key> parameters{};
    /// Key in price lists of datasheets, which the component converts into prices of its commands
    /// (ComponentPlan::price_commands); null: none.
    const config::Key* datasheet = nullptr;
};

/// Events of moving data in and out of any component that stores data.
inline constexpr EnergyEvent read_event{"read", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent write_event{"write", EnergyEvent::Unit::Byte};

/// Command queues of all components, one type to energy accounts and price lists.
inline constexpr EnergyEvent descriptor_event{"descriptor"}; ///< executed
inline constexpr EnergyEvent command_events[] = {descriptor_event};
inline constexpr Declaration commands_declaration{.type = "commands", .events = command_events};

} // namespace levee
