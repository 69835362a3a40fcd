// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/stacks.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace levee::checks {

/// Ends the run at the first instruction at which the stack pointer is below its stack. After an
/// addition or subtraction, the stack pointer still belongs to the same stack. After a load or a
/// copy, it belongs to the stack that contains its new value.
class StackCheck : private riscv::Observer {
public:
    /// All arguments must outlive the simulation.
    StackCheck(const Context& context, const Stacks& stacks,
               std::function<void(const std::string&)> fail);
    StackCheck(const StackCheck&) = delete;
    StackCheck& operator=(const StackCheck&) = delete;

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
    /// Stacks that the program has left, and to which a task may return. The key is the stack
    /// pointer at that time.
    std::map<std::uint32_t, Stack> left_;
    riscv::Op last_;
    std::uint32_t last_sp_ = 0;
    /// True between two instructions, such as lui and addi, that together load an address.
    bool is_part_ = false;
    bool warned_ = false;
};

} // namespace levee::checks
