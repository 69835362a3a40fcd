// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace levee::trace {

/// A named range of code: a function, or the code after a label without a size.
struct Function {
    std::string name;
    std::uint32_t begin = 0;
    std::uint64_t end = 0; ///< one past its last byte
    [[nodiscard]] bool contains(std::uint32_t pc) const { return pc >= begin && pc < end; }
};

/// Functions of a program by address. Every address has one; "[unknown]" covers the gaps.
class Symbols {
public:
    explicit Symbols(const std::vector<riscv::ElfSymbol>& symbols) { replace(symbols); }

    /// Replaces the program's symbols. The functions of earlier programs stay valid.
    void replace(const std::vector<riscv::ElfSymbol>& symbols);

    [[nodiscard]] const Function& at(std::uint32_t pc) const;
    /// "name+0x12", or "name" at its first byte; "??" for a gap, as in debuggers.
    [[nodiscard]] std::string locate(std::uint32_t pc) const;
    /// Sorted by address.
    [[nodiscard]] const std::vector<Function>& functions() const { return programs_.back(); }

private:
    // The functions of each program so far: disjoint, without a gap from 0 to 2^32.
    std::list<std::vector<Function>> programs_;
};

} // namespace levee::trace
