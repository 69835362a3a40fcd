// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// One register: write-only without `read`, read-only without `write`.
struct Register {
    std::string name;
    std::uint32_t offset = 0; ///< bytes, a multiple of the register file's width
    std::function<std::uint32_t()> read;
    std::function<void(std::uint32_t)> write;
    /// Value for debuggers where `read` has a side effect; empty: `read` has none.
    std::function<std::uint32_t()> peek = {};

    /// Value of a readable register, without side effects.
    [[nodiscard]] std::uint32_t value() const { return peek ? peek() : read(); }
};

/// Register file of a block, by offset and by name. Accesses must be aligned and as wide as a
/// register: any other answers TLM_BURST_ERROR or TLM_ADDRESS_ERROR, as does an offset without a
/// register; byte enables answer TLM_BYTE_ENABLE_ERROR, reading a write-only or writing a read-only
/// register TLM_COMMAND_ERROR. The core traps on each.
class RegisterFile {
public:
    /// Width of a register in bytes.
    enum class Width : unsigned { Byte = 1, Word = 4 };

    explicit RegisterFile(Width width = Width::Word) : width_(static_cast<unsigned>(width)) {}

    /// Throws std::logic_error if the offset is in use or misaligned.
    void add(Register reg);

    void transport(tlm::tlm_generic_payload& payload) const;
    /// Reads for debuggers, without side effects.
    unsigned transport_debug(tlm::tlm_generic_payload& payload) const;

    [[nodiscard]] unsigned width() const { return width_; } ///< width of a register in bytes
    [[nodiscard]] const std::vector<Register>& registers() const { return registers_; }

private:
    [[nodiscard]] const Register* find(std::uint64_t offset) const;
    [[nodiscard]] bool is_whole(const tlm::tlm_generic_payload& payload) const;

    unsigned width_;                  // bytes
    std::vector<Register> registers_; // sorted by offset
};

} // namespace levee
