// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/machine/assembly/system.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace levee::mistakes {

/// Optional checks, which cost host time.
struct Checks {
    bool overlap = false;       ///< tensors of operations that run concurrently
    bool uninitialised = false; ///< tensors read before they are written
    bool stack = false;         ///< stack pointer below the linker's limit
};

/// Parses the words of --check: overlap, uninitialised, stack, all. Throws std::runtime_error for
/// any other word, naming the nearest.
[[nodiscard]] Checks read_checks(const std::vector<std::string>& words);

/// Reports a program's mistakes when they happen and by name: always those that stop a block or the
/// core, and those of the selected checks.
class Mistakes {
public:
    /// All arguments must outlive the simulation; memories must be loaded. `fail` ends the run for
    /// the reason given. Throws std::runtime_error for a check that this program does not support.
    Mistakes(const Checks& checks, const riscv::ElfImage& program, const SystemPlan& plan,
             System& system, std::function<void(const std::string&)> fail);
    ~Mistakes();

    /// Report of all waits, one line each, for a run that is deadlocked.
    [[nodiscard]] std::string who_waits() const;
    /// Findings of the checks so far.
    [[nodiscard]] unsigned found() const;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace levee::mistakes
