// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/program/elf.hpp"
#include "platform/machine/assembly/system.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace levee::checks {

/// Optional checks. Each check slows the run down.
struct Selection {
    bool overlap = false;       ///< reports accesses to the same bytes without a guaranteed order,
                                ///< if one of them is a write
    bool uninitialised = false; ///< reports reads of memory that was never written
    bool types = false;         ///< reports reads of a tensor with another type than it was written
                                ///< with
    bool stack = false;         ///< reports the first instruction at which the stack pointer is
                                ///< below its stack
};

/// Reads the words of --check: overlap, uninitialised, types, stack, all. For any other word,
/// throws std::runtime_error with the most similar known word.
[[nodiscard]] Selection read_checks(const std::vector<std::string>& words);

/// Reports a program's errors when they occur. Two groups are always reported: errors that stop a
/// block or the core, and errors that cost no host time to detect. All other errors belong to the
/// selected checks.
class Checks {
public:
    struct Ends {
        std::function<void(const std::string&)> fail; ///< called when the program has made an error
        std::function<void(const std::string&)> hang; ///< called when the program makes no progress
    };
    /// All arguments must outlive the simulation; memories must be loaded. With `quiet`, handled
    /// exceptions are not printed. A check that this program does not support is skipped with a
    /// warning.
    Checks(const Selection& checks, const ElfImage& program, const SystemPlan& plan, System& system,
           Ends ends, bool quiet);
    ~Checks();

    /// Called when the program has declared one of its stacks: [bottom, top).
    void stack_declared(std::uint32_t bottom, std::uint32_t top);
    /// Called when memory contains another program. An empty image means that the program is
    /// unknown.
    void program_changed(const ElfImage& program);

    /// Returns one line for each wait in a deadlocked run.
    [[nodiscard]] std::string who_waits() const;
    /// Called when the program has ended with `code`. If the code is 0, reports descriptors that
    /// remain in queues. Otherwise, reports exceptions that the program did not handle.
    void ended(int code);
    /// Returns the number of errors that the checks have found until now.
    [[nodiscard]] unsigned found() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace levee::checks
