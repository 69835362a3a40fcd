// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Finds results that never arrived: arrays that are zero at the program's start, that the program
/// has largely read, and that neither it nor any other master has written.
class ArrayUse {
public:
    /// Memories must be loaded. All arguments outlive the simulation.
    ArrayUse(const Context& context, const riscv::ElfImage& program, MemoryKeys& keys);

    /// The core is about to execute this instruction.
    void executes(std::uint32_t pc) { started_ = started_ || pc == main_; }
    /// The core has accessed [key, key + bytes).
    void accessed(std::uint64_t key, std::uint64_t bytes, bool write, std::uint32_t pc);
    /// Another master has written [key, key + bytes).
    void written(std::uint64_t key, std::uint64_t bytes);
    /// Another program has been loaded: its arrays were not zeroed at the start.
    void forget() { arrays_.clear(); }
    /// The program has ended.
    void report(Findings& findings) const;

private:
    struct Array {
        std::uint64_t begin; ///< Begin of the array, by MemoryKeys.
        std::uint64_t end;
        std::string name;
        std::uint64_t read_bytes = 0;
        std::uint32_t read_pc = 0; ///< the first place that read it
        bool written = false;
    };

    [[nodiscard]] std::vector<Array>::iterator first_behind(std::uint64_t key);
    [[nodiscard]] bool clears(std::uint32_t pc) const;

    const Context& context_;
    std::vector<Array> arrays_; ///< Arrays sorted by address, disjoint.
    std::optional<std::uint32_t> main_;
    bool started_ = false; ///< main has been reached
};

} // namespace levee::checks
