// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// One 32-bit register: without `read` it cannot be read, without `write` not be written.
struct Register {
    std::string name;
    std::uint32_t offset = 0; ///< bytes, a multiple of 4
    std::function<std::uint32_t()> read;
    std::function<void(std::uint32_t)> write;
};

/// The registers of a block, by offset and by name. Accesses are aligned 32-bit words; any other,
/// and an offset without a register, answers TLM_ADDRESS_ERROR or TLM_BURST_ERROR; reading what is
/// write-only or writing what is read-only answers TLM_COMMAND_ERROR. The core traps on each.
class RegisterFile {
public:
    /// Throws std::logic_error if the offset is taken or misaligned.
    void add(Register reg);

    void transport(tlm::tlm_generic_payload& payload) const;
    /// Reads for debuggers; registers whose reading has an effect must not be added with one.
    unsigned transport_debug(tlm::tlm_generic_payload& payload) const;

    [[nodiscard]] const std::vector<Register>& registers() const { return registers_; }

private:
    [[nodiscard]] const Register* find(std::uint64_t offset) const;

    std::vector<Register> registers_; // sorted by offset
};

} // namespace levee
