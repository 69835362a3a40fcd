// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Memory in which a stack pointer moves down from `top`, one past its last byte.
struct Stack {
    std::uint32_t bottom = 0;
    std::uint32_t top = 0;
    std::string name; ///< name of the object that holds it; empty: the program's first stack

    /// "stack overflow: sp 0x... is 16 bytes below the stack, ..."
    [[nodiscard]] std::string overflow(const Context& context, std::uint32_t pc) const;
    /// Whether a stack pointer from another stack is in this one; an empty stack's pointer is
    /// `top`.
    [[nodiscard]] bool holds(std::uint32_t pointer) const
    {
        return pointer > bottom && pointer <= top;
    }
};

/// Address of a symbol, if there is one.
[[nodiscard]] std::optional<std::uint32_t> symbol_address(const riscv::ElfImage& program,
                                                          const std::string& name);

/// The stacks of a program: its first one, [__heap_end, __stack) of firmware/boot/link.ld, those it
/// names by hostlink_stack, and every object into which a stack pointer is set.
class Stacks {
public:
    explicit Stacks(const riscv::ElfImage& program) { follow(program); }

    /// Another program runs from now on.
    void follow(const riscv::ElfImage& program);
    /// The program declares a stack; it replaces earlier declarations of these bytes.
    const Stack& declare(std::uint32_t bottom, std::uint32_t top);

    /// Stack in which a stack pointer has been set; empty: it lies in no object.
    [[nodiscard]] std::optional<Stack> at(std::uint32_t pointer) const;
    /// Whether the pointer lies in a stack that the program has declared.
    [[nodiscard]] bool is_declared(std::uint32_t pointer) const;
    [[nodiscard]] const std::optional<Stack>& first() const { return first_; }

private:
    [[nodiscard]] const Stack* object_below(std::uint32_t pointer) const;

    std::optional<Stack> first_; ///< none: the program does not define the symbols
    std::vector<Stack> declared_;
    std::vector<Stack> objects_; ///< Stack objects sorted by address.
};

} // namespace levee::checks
