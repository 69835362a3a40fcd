// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/mistakes/stack_check.hpp"

namespace levee::mistakes {

StackCheck::StackCheck(const Context& context, const Stack& stack,
                       std::function<void(const std::string&)> fail)
    : context_(context), fail_(std::move(fail)), stack_(stack)
{
    context.system.core().observe(*this);
}

bool StackCheck::before_instruction(std::uint32_t pc, std::uint64_t)
{
    const riscv::Hart& hart = context_.system.core().hart();
    const std::uint32_t now = hart.reg(sp);
    if (now >= stack_.bottom) {
        in_use_ |= now <= stack_.top;
        return true;
    }
    if (!in_use_)
        return true;
    in_use_ = false;
    fail_(stack_.overflow(context_, pc));
    return true;
}

} // namespace levee::mistakes
