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

/// Something a component does that costs energy, as price lists name it.
struct EnergyEvent {
    enum class Unit { Each, Byte };

    const char* name;
    Unit unit = Unit::Each;      ///< what is counted
    std::uint32_t row_bytes = 0; ///< not 0: a price may be `per: row` of so many bytes
    bool is_mac = false;         ///< a multiply-accumulate: what rooflines count
};

/// What a type of component says of itself, once, as data in its own folder
/// (`ip/<component>/declaration.hpp`). Error messages, traces, --check, price lists, the debugger's
/// monitor and `describe` read this; none of them knows a component by name.
struct Declaration {
    const char* type;         ///< in scenarios: `type: rsa`
    std::uint32_t number = 0; ///< in boot_info and the ID register; 0: it has no registers
    bool interrupts = false;  ///< it drives a source of the PLIC
    bool stores = false;      ///< data can be placed in it: it is stated under `memories`
    /// Bytes of the operation its descriptors carry (ip/common/descriptor.h); 0: it has no queue.
    std::size_t operation_bytes = 0;
    std::span<const Opcode> opcodes{};
    std::span<const Field> fields{}; ///< members of its operation, in order of offset, from 0
    std::span<const EnergyEvent> events{};
};

/// What moving data in and out of a component that stores costs, whatever its type.
inline constexpr EnergyEvent read_event{"read", EnergyEvent::Unit::Byte};
inline constexpr EnergyEvent write_event{"write", EnergyEvent::Unit::Byte};

/// The command queues of all components, which energy accounts and price lists take as one.
inline constexpr EnergyEvent descriptor_event{"descriptor"}; ///< executed
inline constexpr EnergyEvent command_events[] = {descriptor_event};
inline constexpr Declaration commands_declaration{.type = "commands", .events = command_events};

} // namespace levee
