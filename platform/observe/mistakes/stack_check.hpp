// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/mistakes/program_guard.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace levee::mistakes {

/// Ends the run at the first instruction that executes with the stack pointer below the stack's
/// limit.
class StackCheck : private riscv::Observer {
public:
    StackCheck(const Context& context, const Stack& stack,
               std::function<void(const std::string&)> fail);
    StackCheck(const StackCheck&) = delete;
    StackCheck& operator=(const StackCheck&) = delete;

private:
    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}

    const Context& context_;
    const std::function<void(const std::string&)> fail_;
    const Stack stack_;
    bool in_use_ = false; // set once the program has initialised its stack pointer
};

} // namespace levee::mistakes
