// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace levee {

/// A register. Without `read` it is write-only, without `write` read-only.
struct Register {
    std::string name;
    std::uint32_t offset = 0; ///< Offset in bytes, a multiple of the register width.
    std::function<std::uint32_t()> read;
    std::function<void(std::uint32_t)> write;
    /// Value for debuggers, if `read` has a side effect; empty otherwise.
    std::function<std::uint32_t()> peek = {};

    /// Value of a readable register, without side effects.
    [[nodiscard]] std::uint32_t value() const { return peek ? peek() : read(); }
};

/// A block's registers by offset and by name. Accesses must be aligned and as wide as a register.
/// Other widths or alignments, and offsets without a register, get TLM_BURST_ERROR or
/// TLM_ADDRESS_ERROR. Byte enables get TLM_BYTE_ENABLE_ERROR. Reads of write-only registers and
/// writes of read-only ones get TLM_COMMAND_ERROR. Each of these traps in the core.
class RegisterFile {
public:
    /// Width of a register in bytes.
    enum class Width : unsigned { Byte = 1, Word = 4 };

    explicit RegisterFile(Width width = Width::Word) : width_(static_cast<unsigned>(width)) {}

    /// Adds a register. Throws std::logic_error if its offset is in use or misaligned.
    void add(Register reg);

    void transport(tlm::tlm_generic_payload& payload) const;
    unsigned transport_debug(tlm::tlm_generic_payload& payload) const;

    [[nodiscard]] unsigned width() const { return width_; }
    [[nodiscard]] const std::vector<Register>& registers() const { return registers_; }

private:
    [[nodiscard]] const Register* find(std::uint64_t offset) const;
    [[nodiscard]] bool is_whole(const tlm::tlm_generic_payload& payload) const;

    unsigned width_;                  // Width of a register in bytes.
    std::vector<Register> registers_; // Sorted by offset.
};

} // namespace levee
