// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/fields.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace levee {

/// An operation that a component's queue executes.
struct Opcode {
    std::uint8_t value; ///< descriptor.opcode
    const char* name;   ///< as in regs.h: "GEMM"
};

/// An energy event of a component, as price lists name it.
struct EnergyEvent {
    enum class Unit { Each, Byte, Picosecond };

    const char* name;
    Unit unit = Unit::Each;      ///< what is counted
    std::uint32_t row_bytes = 0; ///< not 0: a price may be `per: row` of so many bytes
    bool is_mac = false;         ///< a multiply-accumulate, counted by rooflines
    /// A memory's command: price lists may charge for it instead of for bytes read and written.
    bool by_command = false;
};

/// A result and an operand of a component's operations that must lie apart in memory: the component
/// reads the operand, or reads it again, after it has begun to write the result. The component does
/// not look; the platform tells the user (platform/observe/mistakes).
struct Apart {
    std::size_t result;  ///< offset of the member in the operation
    std::size_t operand; ///< the same
    /// Element by element in the operand's own place is allowed: both begin at the same address.
    bool in_place = false;
};

/// Describes two members of an operation as an Apart.
#define LEVEE_APART(type, result, operand, ...)                                                    \
    ::levee::Apart                                                                                 \
    {                                                                                              \
        offsetof(type, result), offsetof(type, operand) __VA_OPT__(, ) __VA_ARGS__                 \
    }

/// Declaration of a type of component, made once, as data in its own folder
/// (`ip/<component>/declaration.hpp`). Error messages, traces, --check, price lists, the debugger's
/// monitor and `describe` read it; none of them knows a component by name.
struct Declaration {
    const char* type;         ///< in scenarios: `type: rsa`
    std::uint32_t number = 0; ///< in boot_info and the ID register; 0: it has no registers
    bool interrupts = false;  ///< it drives a source of the PLIC
    bool stores = false;      ///< contains data, and is listed under `memories`
    /// Size of the operation in its descriptors (ip/common/descriptor.h), in bytes; 0: it has no
    /// queue.
    std::size_t operation_bytes = 0;
    std::span<const Opcode> opcodes{};
    std::span<const Field> fields{}; ///< members of its operation, in order of offset, from 0
    std::span<const Apart> apart{};  ///< results and operands that must not overlap
    std::span<const EnergyEvent> events{};
    /// Key in price lists of datasheets that the component itself converts into prices of its
    /// commands (ComponentPlan::price_commands); null: it has none.
    const char* datasheet = nullptr;
};

/// Events of moving data in and out of any component that stores data.
inline constexpr EnergyEvent read_event{"read", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent write_event{"write", EnergyEvent::Unit::Byte};

/// Command queues of all components, one type to energy accounts and price lists.
inline constexpr EnergyEvent descriptor_event{"descriptor"}; ///< executed
inline constexpr EnergyEvent command_events[] = {descriptor_event};
inline constexpr Declaration commands_declaration{.type = "commands", .events = command_events};

} // namespace levee
