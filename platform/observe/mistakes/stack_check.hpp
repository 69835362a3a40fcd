// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"
#include "platform/observe/mistakes/names.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace levee::mistakes {

/// Ends the run at the first instruction that runs with the stack pointer below the stack.
class StackCheck : private riscv::Observer {
public:
    /// The stack is [__heap_end, __stack), as firmware/boot/link.ld says. Throws std::runtime_error
    /// if the program does not have these symbols.
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
    bool in_use_ = false; // the program has set its stack pointer
};

} // namespace levee::mistakes
