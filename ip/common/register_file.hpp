// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// One register: without `read` it cannot be read, without `write` not be written.
struct Register {
    std::string name;
    std::uint32_t offset = 0; ///< bytes, a multiple of the register file's width
    std::function<std::uint32_t()> read;
    std::function<void(std::uint32_t)> write;
    /// What a debugger reads where `read` has an effect; empty: `read` has none.
    std::function<std::uint32_t()> peek = {};

    /// The value of a register that can be read, without any effect.
    [[nodiscard]] std::uint32_t value() const { return peek ? peek() : read(); }
};

/// The registers of a block, by offset and by name. Accesses are aligned and as wide as a register;
/// any other, and an offset without a register, answers TLM_ADDRESS_ERROR or TLM_BURST_ERROR;
/// reading what is write-only or writing what is read-only answers TLM_COMMAND_ERROR. The core
/// traps on each.
class RegisterFile {
public:
    /// Bytes of a register.
    enum class Width : unsigned { Byte = 1, Word = 4 };

    explicit RegisterFile(Width width = Width::Word) : width_(static_cast<unsigned>(width)) {}

    /// Throws std::logic_error if the offset is taken or misaligned.
    void add(Register reg);

    void transport(tlm::tlm_generic_payload& payload) const;
    /// Reads for debuggers, without any effect.
    unsigned transport_debug(tlm::tlm_generic_payload& payload) const;

    [[nodiscard]] const std::vector<Register>& registers() const { return registers_; }

private:
    [[nodiscard]] const Register* find(std::uint64_t offset) const;
    [[nodiscard]] bool is_whole(const tlm::tlm_generic_payload& payload) const;

    unsigned width_;                  // bytes
    std::vector<Register> registers_; // sorted by offset
};

} // namespace levee
