// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/program/elf.hpp"

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace levee::trace {

/// A named range of code: a function, or the code after a label without a size.
struct Function {
    std::string name;
    std::uint32_t begin = 0;
    std::uint64_t end = 0; ///< address after the last byte
    [[nodiscard]] bool contains(std::uint32_t pc) const { return pc >= begin && pc < end; }
};

/// A program's functions by address. Every address belongs to one function. Gaps between functions
/// belong to "[unknown]".
class Symbols {
public:
    explicit Symbols(const std::vector<ElfSymbol>& symbols) { replace(symbols); }

    /// Replaces the program's symbols. The functions of earlier programs stay valid.
    void replace(const std::vector<ElfSymbol>& symbols);

    [[nodiscard]] const Function& at(std::uint32_t pc) const;
    /// Returns "name+0x12", or "name" at the function's first byte. In a gap, returns "??", as
    /// debuggers do.
    [[nodiscard]] std::string locate(std::uint32_t pc) const;
    /// Sorted by address.
    [[nodiscard]] const std::vector<Function>& functions() const { return programs_.back(); }

private:
    // The functions of all programs until now. A program's functions cover all addresses from 0 to
    // 2^32 without overlap.
    std::list<std::vector<Function>> programs_;
};

} // namespace levee::trace
