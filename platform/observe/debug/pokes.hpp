// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace levee::debug {

/// Thrown for an invalid command. what() says what is wrong and what was expected.
class PokeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Counts changes of registers and memory that the program did not make itself, for the
/// results.
struct Interventions {
    std::uint64_t by_script = 0;
    std::uint64_t by_debugger = 0;
};

/// Splits a line into words at spaces. '=' is a word of its own.
[[nodiscard]] std::vector<std::string> words_of(const std::string& line);

/// Reads a number, in decimal or with 0x. Underscores may separate digits. Nothing if the word is
/// not a number.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string word);

/// Reads an address: a number, or a name of the program, with an optional offset (`buffer+0x10`).
/// Throws PokeError.
[[nodiscard]] std::uint64_t parse_address(const MachineView& machine, const std::string& word);

/// A component's register, which scripts may read, set and flip.
struct ComponentRegister {
    std::string owner;
    const Register* reg = nullptr;
    unsigned bits = 32;
};
struct CoreRegister {
    std::string name;
    std::uint32_t index = 0; ///< register number in the remote protocol (registers.hpp)
};
struct MemoryBytes {
    std::uint64_t address = 0;
};
using PokeTarget = std::variant<ComponentRegister, CoreRegister, MemoryBytes>;

/// Reads `BLOCK.REGISTER` or `core.NAME`. Throws PokeError with the nearest known name.
[[nodiscard]] PokeTarget parse_register(const MachineView& machine, const std::string& word);

/// Returns the register's value, read without side effects. Throws PokeError if it cannot be read.
[[nodiscard]] std::uint32_t value_of(const MachineView& machine, const PokeTarget& target);

/// A change of a register or of memory, already checked as far as possible before it is
/// made.
struct Poke {
    PokeTarget target;
    std::vector<std::uint8_t> bytes;   ///< new bytes, to set memory
    std::uint32_t value = 0;           ///< new value, to set a register
    std::optional<unsigned> flip = {}; ///< the bit, to flip one
};

/// Reads `set TARGET = VALUE...` or `flip TARGET bit N`. TARGET is a register's name, `counter N`,
/// `memory ADDRESS` or `word ADDRESS` (32 bits). For `memory`, `set` takes bytes in hexadecimal,
/// and `flip` a bit from 0 to 63, counted from the byte at the address. Throws PokeError.
[[nodiscard]] Poke parse_poke(const MachineView& machine, const std::vector<std::string>& words);

/// Makes the change at once, in no simulated time. A component's register is written by its own
/// write function, with all side effects. Returns a line with the old and the new value. If the
/// target cannot be written, throws PokeError and changes nothing.
std::string make(const MachineView& machine, const Poke& poke);

} // namespace levee::debug
