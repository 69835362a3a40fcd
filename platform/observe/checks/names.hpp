// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/command_regs.h"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/trace/symbols.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::checks {

/// Registers by the RISC-V calling convention: the return address and the stack pointer.
inline constexpr unsigned ra = 1, sp = 2;
/// mstatus.MIE (privileged specification, section 3.1.6).
inline constexpr std::uint32_t mstatus_mie = 1u << 3;

/// Names and places for messages. All arguments must outlive the simulation.
struct Context {
    System& system;
    const SystemPlan& plan;
    const trace::Symbols& symbols;

    /// "0x80000124 <main+0x14>"
    [[nodiscard]] std::string place(std::uint32_t pc) const;
    /// Time of the core, which runs ahead of the kernel, in picoseconds.
    [[nodiscard]] std::uint64_t core_ps() const;
};

[[nodiscard]] std::string hex(std::uint64_t value);

/// "queue overflow", "field out of range"
[[nodiscard]] std::string error_name(std::uint32_t code);

/// "GEMM, tag 7"
[[nodiscard]] std::string operation_of(const Declaration& declaration,
                                       const levee_descriptor& descriptor);

/// The name in the source: compilers rename a static array inside a function to "rows.0".
[[nodiscard]] std::string name_in_source(const std::string& name);

/// A block's register, read without side effects; 0 if there is none at this offset.
[[nodiscard]] std::uint32_t peek(const RegisterFile& registers, std::uint32_t offset);

/// Index of a bus initiator; the number of all initiators if the name does not exist.
[[nodiscard]] int index_of_initiator(System& system, const std::string& name);

/// Key of an address in memory, independent of the bus window: the target's number and the address
/// in it.
class MemoryKeys {
public:
    explicit MemoryKeys(const Context& context) : context_(context) {}

    [[nodiscard]] static std::uint64_t of(const bus::Mapping& window, std::uint64_t address);
    /// Key of an address in any window; empty outside all windows.
    [[nodiscard]] std::optional<std::uint64_t> of(std::uint64_t address);
    /// Whether this address lies in a memory and not in registers.
    [[nodiscard]] bool stores(std::uint64_t key) const;
    /// The address in the accelerators' map.
    [[nodiscard]] std::uint64_t address(std::uint64_t key) const;

private:
    const Context& context_;
    const bus::Mapping* last_ = nullptr; // found
};

/// Findings of the checks: prints the first ones and counts all.
class Findings {
public:
    /// One line on standard error under the name of the block or core concerned, with the simulated
    /// time `ps`.
    void report(const std::string& who, const std::string& text, std::uint64_t ps);
    [[nodiscard]] unsigned count() const { return count_; }

private:
    unsigned count_ = 0;
};

/// "12.5 us"
[[nodiscard]] std::string time_text(std::uint64_t ps);

/// Prints one line on standard error, under the name of the block or core concerned.
void warn(const std::string& who, const std::string& text);

} // namespace levee::checks
