// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/machine/assembly/system.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace levee::checks {

/// Optional checks, which cost host time.
struct Selection {
    bool overlap = false;       ///< tensors of operations that run concurrently
    bool uninitialised = false; ///< tensors read before they are written
    bool types = false;         ///< operands read as other types than they were written
    bool stack = false;         ///< stack pointer below its stack's limit, at each instruction
};

/// Parses the words of --check: overlap, uninitialised, types, stack, all. Throws
/// std::runtime_error for any other word, naming the nearest.
[[nodiscard]] Selection read_checks(const std::vector<std::string>& words);

/// Reports a program's errors by name when they happen. Errors that stop a block or the core, and
/// those that can be detected at no cost, are always reported; others belong to the selected
/// checks.
class Checks {
public:
    /// Ends a run for the given reason.
    struct Ends {
        std::function<void(const std::string&)> fail; ///< the program went wrong
        std::function<void(const std::string&)> hang; ///< it makes no progress
    };
    /// All arguments must outlive the simulation; memories must be loaded. With `quiet`, handled
    /// exceptions are not printed. A check that this program does not support is skipped with a
    /// warning.
    Checks(const Selection& checks, const riscv::ElfImage& program, const SystemPlan& plan,
           System& system, Ends ends, bool quiet);
    ~Checks();

    /// The program declares one of its stacks: [bottom, top).
    void stack_declared(std::uint32_t bottom, std::uint32_t top);
    /// Memory now holds another program; an empty image: an unknown one.
    void program_changed(const riscv::ElfImage& program);

    /// Report of all waits, one line each, for a run that is deadlocked.
    [[nodiscard]] std::string who_waits() const;
    /// The program has ended with this code: reports descriptors left in queues, and unhandled
    /// exceptions.
    void ended(int code);
    /// Findings of the checks so far.
    [[nodiscard]] unsigned found() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace levee::checks
