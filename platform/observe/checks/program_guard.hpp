// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/program/elf.hpp"
#include "platform/observe/checks/stacks.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports stores to a program's code and constants. Ends the run when the stack grows into the
/// pages below it. Only stores to guarded pages are slower, since the core executes them outside
/// its fast path.
class ProgramGuard {
public:
    /// All arguments must outlive the simulation; `fail` ends the run.
    ProgramGuard(const Context& context, const ElfImage& program, const Stacks& stacks,
                 Findings& findings, std::function<void(const std::string&)> fail);
    ~ProgramGuard();
    ProgramGuard(const ProgramGuard&) = delete;
    ProgramGuard& operator=(const ProgramGuard&) = delete;

    /// Called when another program runs from now on, after Stacks::follow().
    void follow(const ElfImage& program);

    /// Names the read-only part that overlaps [address, address + bytes), such as "the program's
    /// code and constants, 0x80000000 to 0x80001fff"; nothing if none does.
    [[nodiscard]] std::optional<std::string> read_only(std::uint64_t address,
                                                       std::uint64_t bytes) const;

    /// Describes the part of [address, address + bytes) that is in the unused stack below sp;
    /// nothing if no part is. A function that has returned has used this memory.
    [[nodiscard]] std::optional<std::string> free_stack(std::uint64_t address,
                                                        std::uint64_t bytes) const;

private:
    using Range = ElfRange;

    void guard(const Range& range, bool whole_pages);
    void release();
    void on_store(std::uint32_t address, std::uint32_t size);

    const Context& context_;
    const Stacks& stacks_;
    Findings& findings_;
    const std::function<void(const std::string&)> fail_;
    std::vector<Range> read_only_;
    std::vector<std::uint32_t> guarded_;
    Range below_stack_{0, 0};
    std::set<std::uint32_t> reported_;
};

} // namespace levee::checks
