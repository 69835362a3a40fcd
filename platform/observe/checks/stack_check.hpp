// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/stacks.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace levee::checks {

/// Ends the run at the first instruction that executes with the stack pointer below its stack's
/// limit. Increments and decrements keep the stack pointer in its stack; a loaded or copied one
/// belongs to the stack in which it lies.
class StackCheck : private riscv::Observer {
public:
    /// All arguments must outlive the simulation.
    StackCheck(const Context& context, const Stacks& stacks,
               std::function<void(const std::string&)> fail);
    StackCheck(const StackCheck&) = delete;
    StackCheck& operator=(const StackCheck&) = delete;

    /// The set of stacks has changed.
    void stacks_changed();

private:
    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
    void moved(std::uint32_t now, std::uint32_t pc);
    void enter(std::uint32_t now);

    const Context& context_;
    const Stacks& stacks_;
    const std::function<void(const std::string&)> fail_;
    std::optional<Stack> current_;
    /// Stacks that the program left, by the stack pointer at that time: a task may return to it.
    std::map<std::uint32_t, Stack> left_;
    riscv::Op last_; ///< the previous instruction
    std::uint32_t last_sp_ = 0;
    /// The value is part of an address that two instructions form, such as lui and addi.
    bool is_part_ = false;
    bool warned_ = false;
};

} // namespace levee::checks
