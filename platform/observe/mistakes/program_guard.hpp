// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/observe/mistakes/names.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::mistakes {

/// Stack of a program linked by firmware/boot/link.ld: [__heap_end, __stack).
struct Stack {
    std::uint32_t bottom = 0;
    std::uint32_t top = 0;

    /// None if the program does not define these symbols.
    [[nodiscard]] static std::optional<Stack> of(const riscv::ElfImage& program);
    /// "stack overflow: sp 0x... is 16 bytes below the stack, ..."
    [[nodiscard]] std::string overflow(const Context& context, std::uint32_t pc) const;
};

/// Address of a symbol, if there is one.
[[nodiscard]] std::optional<std::uint32_t> symbol_address(const riscv::ElfImage& program,
                                                          const std::string& name);

/// Reports stores to a program's code and constants; ends the run when the stack grows into the
/// pages below it. Costs nothing but in those pages: the core's slow path for stores is taken
/// there.
class ProgramGuard {
public:
    /// All arguments outlive the simulation; `fail` ends the run.
    ProgramGuard(const Context& context, const riscv::ElfImage& program, Findings& findings,
                 std::function<void(const std::string&)> fail);
    ~ProgramGuard();
    ProgramGuard(const ProgramGuard&) = delete;
    ProgramGuard& operator=(const ProgramGuard&) = delete;

    /// The read-only part that meets [address, address + bytes), if any: "the program's code and
    /// constants, 0x80000000 to 0x80001fff".
    [[nodiscard]] std::optional<std::string> read_only(std::uint64_t address,
                                                       std::uint64_t bytes) const;

    /// Describes where [address, address + bytes) overlaps the stack below sp, if it does: no
    /// function owns that part, since the one that did has returned.
    [[nodiscard]] std::optional<std::string> free_stack(std::uint64_t address,
                                                        std::uint64_t bytes) const;

private:
    using Range = riscv::ElfRange;

    void guard(const Range& range, bool whole_pages);
    void on_store(std::uint32_t address, std::uint32_t size);

    const Context& context_;
    Findings& findings_;
    const std::function<void(const std::string&)> fail_;
    std::vector<Range> read_only_;
    std::optional<Stack> stack_;
    Range below_stack_{0, 0};
    std::set<std::uint32_t> reported_; // places in the program
};

} // namespace levee::mistakes
