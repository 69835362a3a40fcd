// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/observe/mistakes/names.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace levee::mistakes {

/// Ends the run at the first instruction that executes with the stack pointer below the stack's
/// limit.
class StackCheck : private riscv::Observer {
public:
    /// The stack is [__heap_end, __stack), as in firmware/boot/link.ld. Throws std::runtime_error
    /// if the program does not define these symbols.
    StackCheck(const Context& context, const riscv::ElfImage& program,
               std::function<void(const std::string&)> fail);
    StackCheck(const StackCheck&) = delete;
    StackCheck& operator=(const StackCheck&) = delete;

private:
    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}

    const Context& context_;
    const std::function<void(const std::string&)> fail_;
    std::uint32_t bottom_ = 0;
    std::uint32_t top_ = 0;
    bool in_use_ = false; // set once the program has initialised its stack pointer
};

} // namespace levee::mistakes
