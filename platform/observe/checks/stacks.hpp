// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/program/elf.hpp"
#include "platform/observe/checks/names.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace levee::checks {

/// Memory for a stack that grows down from `top`. The last byte of the stack is at `top` - 1.
struct Stack {
    std::uint32_t bottom = 0;
    std::uint32_t top = 0;
    std::string name; ///< name of the object in which it is; empty for the program's first stack

    /// Returns a text such as "stack overflow: sp 0x... is 16 bytes below the stack, ...".
    [[nodiscard]] std::string overflow(const Context& context, std::uint32_t pc) const;
    /// Returns whether the pointer is in this stack. The pointer of an empty stack is `top`.
    [[nodiscard]] bool holds(std::uint32_t pointer) const
    {
        return pointer > bottom && pointer <= top;
    }
};

/// Returns the address of a symbol, if there is one.
[[nodiscard]] std::optional<std::uint32_t> symbol_address(const ElfImage& program,
                                                          const std::string& name);

/// The stacks of a program: the first one, [__heap_end, __stack) of firmware/boot/link.ld; stacks
/// that hostlink_stack declares; and objects, if a program sets sp to their memory.
class Stacks {
public:
    explicit Stacks(const ElfImage& program) { follow(program); }

    /// Called when another program starts.
    void follow(const ElfImage& program);
    /// Called when the program declares a stack. It replaces earlier declarations of these bytes.
    const Stack& declare(std::uint32_t bottom, std::uint32_t top);

    /// Returns the stack that contains the pointer; nothing if no object does.
    [[nodiscard]] std::optional<Stack> at(std::uint32_t pointer) const;
    [[nodiscard]] bool is_declared(std::uint32_t pointer) const;
    [[nodiscard]] const std::optional<Stack>& first() const { return first_; }

private:
    [[nodiscard]] const Stack* object_below(std::uint32_t pointer) const;

    std::optional<Stack> first_; ///< nothing if the program lacks these symbols
    std::vector<Stack> declared_;
    std::vector<Stack> objects_; ///< objects that may be stacks, sorted by address
};

} // namespace levee::checks
