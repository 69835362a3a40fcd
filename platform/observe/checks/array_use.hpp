// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Detects results that never arrived. It watches arrays that are zero at the start. It reports an
/// array if the program has read much of it, but neither the program nor another master has written
/// it.
class ArrayUse {
public:
    /// Memories must already be loaded. All arguments must outlive the simulation.
    ArrayUse(const Context& context, const ElfImage& program, MemoryKeys& keys);

    void executes(std::uint32_t pc) { started_ = started_ || pc == main_; }
    void accessed(std::uint64_t key, std::uint64_t bytes, bool write, std::uint32_t pc);
    void written(std::uint64_t key, std::uint64_t bytes);
    /// Must be called when another program has been loaded, since its arrays were not cleared at
    /// the start of the run.
    void forget() { arrays_.clear(); }
    void report(Findings& findings) const;

private:
    struct Array {
        std::uint64_t begin; ///< key of the first byte (MemoryKeys)
        std::uint64_t end;
        std::string name;
        std::uint64_t read_bytes = 0;
        std::uint32_t read_pc = 0;
        bool written = false;
    };

    [[nodiscard]] std::vector<Array>::iterator first_behind(std::uint64_t key);
    [[nodiscard]] bool clears(std::uint32_t pc) const;

    const Context& context_;
    std::vector<Array> arrays_; ///< disjoint, sorted by address
    std::optional<std::uint32_t> main_;
    bool started_ = false;
};

} // namespace levee::checks
