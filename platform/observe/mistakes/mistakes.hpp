// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/machine/assembly/system.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace levee::mistakes {

/// Checks that cost host time and are asked for.
struct Checks {
    bool overlap = false;       ///< tensors of operations that run at the same time
    bool uninitialised = false; ///< tensors that nobody has written
    bool stack = false;         ///< the stack pointer against the linker's limit
};

/// Reads the words of --check: overlap, uninitialised, stack, all. Throws std::runtime_error for
/// another, naming the nearest.
[[nodiscard]] Checks read_checks(const std::vector<std::string>& words);

/// Says what the program of a run gets wrong, where it happens and by name: always what stops a
/// block or the core, and what is checked for.
class Mistakes {
public:
    /// All outlive the simulation; memories are loaded. `fail` ends the run for the reason given.
    /// Throws std::runtime_error for a check that this program does not allow.
    Mistakes(const Checks& checks, const riscv::ElfImage& program, const SystemPlan& plan,
             System& system, std::function<void(const std::string&)> fail);
    ~Mistakes();

    /// Who waits for what, a line each: for a run in which nothing can happen any more.
    [[nodiscard]] std::string who_waits() const;
    /// What the checks have found so far.
    [[nodiscard]] unsigned found() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace levee::mistakes
