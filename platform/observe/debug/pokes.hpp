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

/// Text that is not a valid command; what() states the expectation.
class PokeError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Counts changes of registers and memory by anything except the program; results mention them.
struct Interventions {
    std::uint64_t by_script = 0;
    std::uint64_t by_debugger = 0;
};

/// Words of a line, separated by spaces; '=' is a separate word.
[[nodiscard]] std::vector<std::string> words_of(const std::string& line);

/// A number, decimal or with 0x; underscores may separate digits. None if it is not a number.
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string word);

/// An address: a number, or a name of the program with an offset (`buffer+0x10`). Throws PokeError.
[[nodiscard]] std::uint64_t parse_address(const MachineView& machine, const std::string& word);

/// A register that can be read, set and flipped, by name.
struct ComponentRegister {
    std::string owner;
    const Register* reg = nullptr;
    unsigned bits = 32;
};
struct CoreRegister {
    std::string name;
    std::uint32_t index = 0; ///< Register number in the remote protocol (registers.hpp).
};
struct MemoryBytes {
    std::uint64_t address = 0;
};
using PokeTarget = std::variant<ComponentRegister, CoreRegister, MemoryBytes>;

/// `BLOCK.REGISTER` or `core.NAME`; throws PokeError, which names the nearest.
[[nodiscard]] PokeTarget parse_register(const MachineView& machine, const std::string& word);

/// Value of the register, read without side effects. Throws PokeError if it cannot be read.
[[nodiscard]] std::uint32_t value_of(const MachineView& machine, const PokeTarget& target);

/// A change of the machine, checked as far as possible before it is made.
struct Poke {
    PokeTarget target;
    std::vector<std::uint8_t> bytes;   ///< set memory
    std::uint32_t value = 0;           ///< set a register
    std::optional<unsigned> flip = {}; ///< otherwise: the bit to flip
};

/// Reads `set TARGET = VALUE...` and `flip TARGET bit N`; TARGET is a register by name, `counter
/// N`, `memory ADDRESS` (set: bytes in hexadecimal; flip: bits from 0 of the byte there on, up to
/// 63) or `word ADDRESS` (of 32 bits). Throws PokeError.
[[nodiscard]] Poke parse_poke(const MachineView& machine, const std::vector<std::string>& words);

/// Makes the change immediately and in no simulated time. A component's register is written through
/// its own write function, with all side effects. Returns a line with the old and the new value.
/// Throws PokeError, without a change, if the target cannot be written.
std::string make(const MachineView& machine, const Poke& poke);

} // namespace levee::debug
