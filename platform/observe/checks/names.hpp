// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/abi/command_regs.h"
#include "platform/machine/assembly/system.hpp"
#include "platform/observe/trace/symbols.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::checks {

/// Register numbers of the return address and the stack pointer, by the RISC-V calling convention.
inline constexpr unsigned ra = 1, sp = 2;
/// mstatus.MIE (privileged specification, section 3.1.6).
inline constexpr std::uint32_t mstatus_mie = 1u << 3;

/// The objects from which messages take names and places. All references must outlive the
/// simulation.
struct Context {
    System& system;
    const SystemPlan& plan;
    const trace::Symbols& symbols;

    /// Returns a text such as "0x80000124 <main+0x14>".
    [[nodiscard]] std::string place(std::uint32_t pc) const;
    /// Returns the core's time in picoseconds. The core may be ahead of the kernel's time.
    [[nodiscard]] std::uint64_t core_ps() const;
};

[[nodiscard]] std::string hex(std::uint64_t value);

/// Returns a text such as "queue overflow" or "field out of range".
[[nodiscard]] std::string error_name(std::uint32_t code);

/// Returns a text such as "GEMM, tag 7".
[[nodiscard]] std::string operation_of(const Declaration& declaration,
                                       const levee_descriptor& descriptor);

/// Returns a variable's name in the source. Compilers rename static arrays of functions, for
/// instance to "rows.0".
[[nodiscard]] std::string name_in_source(const std::string& name);

/// Returns the value of a block's register without side effects; 0 if the register cannot be read.
[[nodiscard]] std::uint32_t peek(const RegisterFile& registers, std::uint32_t offset);

/// Returns the index of an initiator of the bus. If none has this name, returns the number of
/// initiators.
[[nodiscard]] int index_of_initiator(System& system, const std::string& name);

/// Converts addresses to keys. A key consists of the target's number and the address within the
/// target, so it is the same in all windows of the bus.
class MemoryKeys {
public:
    explicit MemoryKeys(const Context& context) : context_(context) {}

    [[nodiscard]] static std::uint64_t of(const bus::Mapping& window, std::uint64_t address);
    /// Returns the key of an address; nothing if the address is in no window.
    [[nodiscard]] std::optional<std::uint64_t> of(std::uint64_t address);
    /// Returns whether the key belongs to a memory and not to registers.
    [[nodiscard]] bool stores(std::uint64_t key) const;
    /// Returns the address as the accelerators see it.
    [[nodiscard]] std::uint64_t address(std::uint64_t key) const;

private:
    const Context& context_;
    const bus::Mapping* last_ = nullptr;
};

/// Counts the errors that checks have found, and prints the first ones.
class Findings {
public:
    /// Prints a line on standard error under the name of the block or the core, with the simulated
    /// time `ps`.
    void report(const std::string& who, const std::string& text, std::uint64_t ps);
    [[nodiscard]] unsigned count() const { return count_; }

private:
    unsigned count_ = 0;
};

/// Returns a text such as "12.5 us".
[[nodiscard]] std::string time_text(std::uint64_t ps);

/// Prints a line on standard error under the name of the block or the core.
void warn(const std::string& who, const std::string& text);

} // namespace levee::checks
