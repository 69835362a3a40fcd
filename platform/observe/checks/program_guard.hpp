// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/observe/checks/stacks.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::checks {

/// Reports stores to a program's code and constants; ends the run when the stack grows into the
/// pages below it. Only stores to these pages cost time: they take the core's slow path.
class ProgramGuard {
public:
    /// All arguments must outlive the simulation; `fail` ends the run.
    ProgramGuard(const Context& context, const riscv::ElfImage& program, const Stacks& stacks,
                 Findings& findings, std::function<void(const std::string&)> fail);
    ~ProgramGuard();
    ProgramGuard(const ProgramGuard&) = delete;
    ProgramGuard& operator=(const ProgramGuard&) = delete;

    /// Another program runs from now on; call after Stacks::follow().
    void follow(const riscv::ElfImage& program);

    /// The read-only part that meets [address, address + bytes), if any: "the program's code and
    /// constants, 0x80000000 to 0x80001fff".
    [[nodiscard]] std::optional<std::string> read_only(std::uint64_t address,
                                                       std::uint64_t bytes) const;

    /// Describes the overlap of [address, address + bytes) with the stack below sp, if any: no
    /// function owns that part, since its function has returned.
    [[nodiscard]] std::optional<std::string> free_stack(std::uint64_t address,
                                                        std::uint64_t bytes) const;

private:
    using Range = riscv::ElfRange;

    void guard(const Range& range, bool whole_pages);
    void release();
    void on_store(std::uint32_t address, std::uint32_t size);

    const Context& context_;
    const Stacks& stacks_;
    Findings& findings_;
    const std::function<void(const std::string&)> fail_;
    std::vector<Range> read_only_;
    std::vector<std::uint32_t> guarded_; // pages
    Range below_stack_{0, 0};
    std::set<std::uint32_t> reported_; // places in the program
};

} // namespace levee::checks
